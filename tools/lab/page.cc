// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lab/page.h"

#include "tools/lab/svg_plot.h"

namespace weir::lab {
namespace {

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: #1c2430;
       background: #f4f6f8; margin: 0; }
main { max-width: 1360px; margin: 0 auto; padding: 24px; }
h1 { font-size: 26px; margin: 0 0 2px; } h2 { font-size: 18px; margin: 28px 0 10px; }
p.about { margin: 0 0 4px; color: #4a5565; }
code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 13px;
       background: #e8ecf0; padding: 2px 6px; border-radius: 4px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 12px;
         margin-top: 18px; }
.tile, .plot, .box { background: #fff; border: 1px solid #dde3e9; border-radius: 8px; }
.tile { padding: 10px 14px; } .tile b { display: block; font-size: 21px; }
.tile span { color: #5b6675; font-size: 13px; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(480px, 1fr)); gap: 14px; }
.plot { padding: 10px 12px 4px; } .box { padding: 4px 14px 10px; overflow-x: auto; }
.bad { border-left: 5px solid #c0392b; padding: 8px 14px; margin-top: 16px; }
.good { border-left: 5px solid #009e73; padding: 8px 14px; margin-top: 16px; }
svg { width: 100%; height: auto; display: block; }
svg text { font-family: inherit; fill: #1c2430; }
.plot-title { font-size: 14px; font-weight: 600; } .plot-label { font-size: 12px; fill: #5b6675; }
.tick { font-size: 11px; fill: #5b6675; } .grid { stroke: #e6eaee; } .axis { stroke: #8a94a1; }
.mark { stroke: #1c2430; stroke-dasharray: 5 4; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: right; padding: 5px 10px; border-bottom: 1px solid #e6eaee; }
th:first-child, td:first-child { text-align: left; } th { color: #5b6675; font-weight: 600; }
</style>
)";

}  // namespace

std::string page_head(std::string_view title) {
    return std::string(kHead) + "<title>" + escaped(title) +
           " - weir-lab</title></head><body><main>\n<h1>" + escaped(title) + "</h1>\n";
}

std::string_view page_end() {
    return "</main></body></html>\n";
}

}  // namespace weir::lab
