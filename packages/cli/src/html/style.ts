/**
 * The style of a report: one column of text with wide figures, for light and dark screens and for paper. It loads no other files.
 * Colours of plots are variables, so one drawing suits both backgrounds.
 */
import { ramp } from '../plot/color.ts';

/** On a dark ground: the earliest and the last of a rod. */
export const darkHues: readonly string[] = ['#1d3a4d', '#4a3320', '#1c4236', '#47293b', '#443815', '#333a44'];
export const strongHues: readonly string[] = ['#4fb3ee', '#ff8f4d', '#35cfa2', '#e296c4', '#e6be4c', '#aab4bf'];
/** Pale in the light and the dark, strong in the light and the dark, a rod. */
const hues = darkHues.map((dark, k) => [ramp(k, 0), dark, ramp(k, 1), strongHues[k]] as const);

/** Variable, light, dark. Plots are drawn with the light ones, which the page replaces by the variables. */
export const palette: readonly (readonly [string, string, string])[] = [
  ['ink', '#1f2933', '#e6e9ec'],
  ['ink-soft', '#6b7783', '#9aa5b1'],
  ['grid', '#e8ebee', '#2c333b'],
  ['paper', '#ffffff', '#14181d'],
  ['axis', '#8b959e', '#6b7783'],
  ['zero', '#b6bdc4', '#4b5560'],
  // of curves: as many as `curveColors`
  ['c0', '#0072b2', '#4fb3ee'],
  ['c1', '#d55e00', '#ff8f4d'],
  ['c2', '#009e73', '#35cfa2'],
  ['c3', '#a3457f', '#e296c4'],
  ['c4', '#b03a2e', '#ff7b6e'],
  ['c5', '#7a8490', '#aab4bf'],
  ['c6', '#a97400', '#e6be4c'],
  // of rods in pictures, pale and strong
  ...hues.map(([light, dark], k): readonly [string, string, string] => [`p${k}`, light, dark]),
  ...hues.map(([, , light, dark], k): readonly [string, string, string] => [`s${k}`, light, dark]),
];
export const curveColors: readonly string[] = palette.filter(([name]) => /^c\d/.test(name)).map(([, light]) => light);

const variables = (column: 1 | 2): string => palette.map((row) => `--${row[0]}:${row[column]}`).join(';');

export const style: string = `
:root{color-scheme:light dark;${variables(1)};--panel:#f6f7f9;--rule:#dde2e7;--link:#00588a;--good:#007a58;--partly:#8a6100;--bad:#b03a2e}
@media screen and (prefers-color-scheme:dark){:root{${variables(2)};--panel:#1b2027;--rule:#303842;--link:#7cc4f5;--good:#35cfa2;--partly:#e6be4c;--bad:#ff7b6e}}
*{box-sizing:border-box}
html{font-size:17px;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 Charter,'Bitstream Charter','Source Serif 4',Cambria,Georgia,serif;font-kerning:normal}
main,header,footer{max-width:54rem;margin:0 auto;padding:0 1.5rem}
header{padding-top:4.5rem;padding-bottom:1rem}
h1{font-size:2.35rem;line-height:1.16;letter-spacing:-.012em;margin:0 0 .8rem;text-wrap:balance}
h2{font-size:1.5rem;line-height:1.25;margin:0 0 .8rem;text-wrap:balance}
h3{font-size:1.02rem;margin:0 0 .2rem}
.lead{font-size:1.16rem;color:var(--ink-soft);margin:0;text-wrap:pretty}
.kicker,th,.facts,.verdict,nav,figcaption .number,summary,footer,.label{font-family:'Helvetica Neue',Inter,'Segoe UI','DejaVu Sans',Arial,sans-serif}
.kicker{font-size:.76rem;letter-spacing:.09em;text-transform:uppercase;color:var(--ink-soft);margin:0 0 .6rem}
.facts{font-size:.8rem;color:var(--ink-soft);margin:1.4rem 0 0}
p{margin:0 0 .9rem;text-wrap:pretty;hyphens:auto}
sup{font-size:.7em;line-height:0;vertical-align:baseline;position:relative;top:-.42em}
a{color:var(--link);text-decoration-thickness:.06em;text-underline-offset:.16em}
code{font:.86em ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;background:var(--panel);padding:.08em .3em;border-radius:.25em;overflow-wrap:anywhere}
section{border-top:1px solid var(--rule);padding:2.6rem 0 1.4rem;margin-top:2rem}
.summary{margin-top:2.2rem;border-top:2px solid var(--ink)}
.summary a{color:inherit;text-decoration:none}
.summary a:hover .title{text-decoration:underline}
.summary .row{display:grid;grid-template-columns:7rem 1fr 7.5rem;gap:1rem;padding:.85rem 0;border-bottom:1px solid var(--rule);align-items:baseline}
.summary .title{font-weight:600}
.summary .found{display:block;color:var(--ink-soft);font-size:.94rem;line-height:1.45}
.summary .figure{color:var(--ink-soft);font-variant-numeric:tabular-nums;hyphens:auto}
.verdict{font-size:.76rem;font-weight:600;white-space:nowrap;justify-self:end}
.verdict::before{content:'';display:inline-block;width:.6em;height:.6em;border-radius:50%;background:currentColor;margin-right:.5em}
.holds{color:var(--good)}.partly{color:var(--partly)}.fails{color:var(--bad)}.absent{color:var(--ink-soft)}
.head{display:flex;justify-content:space-between;align-items:baseline;gap:1rem}
dl{margin:0 0 1.6rem;display:grid;grid-template-columns:8.4rem 1fr;gap:.2rem 1.4rem}
dt{font:600 .8rem/1.6 'Helvetica Neue',Inter,'Segoe UI','DejaVu Sans',Arial,sans-serif;color:var(--ink-soft);padding-top:.22rem}
dd{margin:0}
dd.claim{font-style:italic}
figure{margin:1.8rem 0 2.2rem;break-inside:avoid}
figure svg{display:block;width:100%;height:auto}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(20rem,1fr));gap:0 1.5rem}
figure img{display:block;width:100%;height:auto;border-radius:.3rem}
.panels{display:grid;grid-template-columns:repeat(var(--columns),1fr);gap:1rem .8rem}
.panels p{font-size:.85rem;line-height:1.45;margin:.4rem 0 0;color:var(--ink-soft)}
.panels b{color:var(--ink)}
figure svg a:hover path{stroke-width:3;stroke-opacity:1}
figure svg a:hover circle{fill-opacity:1;stroke:var(--ink);stroke-width:1.5}
figcaption{font-size:.88rem;line-height:1.5;color:var(--ink-soft);margin-top:.5rem}
figcaption .number{font-weight:600;font-size:.8rem;color:var(--ink);margin-right:.4em}
figcaption b{color:var(--ink);font-weight:600}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.86rem;line-height:1.4;font-variant-numeric:tabular-nums lining-nums}
th{text-align:right;font-size:.74rem;font-weight:600;color:var(--ink-soft);border-bottom:1px solid var(--ink-soft);padding:.35rem .7rem;vertical-align:bottom}
td{text-align:right;white-space:nowrap;padding:.32rem .7rem;border-bottom:1px solid var(--rule)}
th:first-child,td:first-child,td.text,th.text{text-align:left;white-space:normal}
th:first-child,td:first-child{padding-left:0;white-space:nowrap}
details{margin-top:.6rem;font-size:.86rem}
summary{cursor:pointer;color:var(--link);font-size:.78rem}
details .scroll{max-height:22rem;overflow:auto;margin-top:.5rem}
.warning{border-left:3px solid var(--partly);padding:.1rem 0 .1rem .9rem;margin:0 0 .8rem}
.refused{border-left-color:var(--bad)}
footer{font-size:.8rem;color:var(--ink-soft);padding-top:1.5rem;padding-bottom:4rem;border-top:1px solid var(--rule);margin-top:2rem}
@media (max-width:40rem){.panels{grid-template-columns:1fr}dl{grid-template-columns:1fr}dd{margin-bottom:.7rem}.summary .row{grid-template-columns:3.4rem 1fr}.verdict{justify-self:start}h1{font-size:1.8rem}header{padding-top:2.2rem}}
@media print{:root{color-scheme:light;${variables(1)};--rule:#ccd2d8;--panel:#fff}html{font-size:10.5pt}@page{margin:18mm 16mm}main,header,footer{max-width:none;padding-left:0;padding-right:0}header{padding-top:0}section{break-before:auto}h2,h3,.head{break-after:avoid}details{display:none}a{color:inherit;text-decoration:none}.summary .row{break-inside:avoid}}
`;
