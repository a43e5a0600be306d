"""Reads the study and a recording with pandas and pyarrow: pip install pandas pyarrow"""
import json

import pandas as pd

study = pd.read_parquet("out/study/data")
table = study.pivot(index="edges", columns="thickness", values="sag")
print(table)
# second order: each doubling of the edges leaves a quarter of the error
fine = table.loc[80] + (table.loc[80] - table.loc[40]) / 3
print(((table - fine).abs().loc[20] / (table - fine).abs().loc[40]).round(2))

nodes = pd.read_parquet("out/rope/recording.parquet")
print(nodes[nodes.frame == nodes.frame.max()][["x", "z", "tension"]].describe())
result = json.load(open("out/rope/result.json"))
print("force of the bollard on the rope [N]:", result["contacts"][0]["force"])
