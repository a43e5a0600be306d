#!/usr/bin/env bash
# Grow, cut, simulate and export: the commands of README.md.
set -e
cd "$(dirname "$0")"
npx tendril groom grow head.glb --out head.hairstyle --force --length "14 cm" --hair wavy --guides 60 --hairs 4000 --clump 0.4 --lean "0,0,-0.4" --density "nz > 0.2"
npx tendril groom cut head.hairstyle --length "11 cm" --out bob.hairstyle --force
npx tendril groom scene bob.hairstyle --motion shake --force
npx tendril run bob.yaml --until "0.3 s" --out out/bob --force
npx tendril groom pack bob.hairstyle out/bob/recording.tendril --force
npx tendril groom export bob.hairstyle --to usda --motion out/bob/recording.motion --force
npx tendril groom export bob.hairstyle --to glb --motion out/bob/recording.motion --force
