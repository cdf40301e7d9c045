import { renderPngWithinByteLimit } from '../drawing/picture.ts'
import { renderSvg } from '../drawing/png.ts'
import { makeSvgAccessible } from './accessible-svg.ts'
import type { Chart, ChartKind, ChartRequest } from './chart.ts'
import type { DrawnChart } from './drawn.ts'
import { drawBars } from './kinds/bars.ts'
import { drawBoxplot } from './kinds/boxplot.ts'
import { drawDonut } from './kinds/donut.ts'
import { drawKeyFigure } from './kinds/figure.ts'
import { drawFunnel } from './kinds/funnel.ts'
import { drawHeatmap } from './kinds/heatmap.ts'
import { drawHistogram } from './kinds/histogram.ts'
import { drawLines } from './kinds/lines.ts'
import { drawScatter } from './kinds/scatter.ts'
import { prepareChart, type PreparedChart } from './prepare.ts'
import { renderInThread } from './render-in-thread.ts'
import { loadFallbackFonts, setFallbackMeasurementFonts } from '../fonts/text-width.ts'
import { PALETTES } from './theme.ts'

const DRAW: Record<ChartKind, (chart: PreparedChart) => DrawnChart> = {
  bar: drawBars,
  groupedBar: drawBars,
  stackedBar: drawBars,
  line: drawLines,
  area: drawLines,
  stackedArea: drawLines,
  donut: drawDonut,
  histogram: drawHistogram,
  boxplot: drawBoxplot,
  scatter: drawScatter,
  heatmap: drawHeatmap,
  funnel: drawFunnel,
  figure: drawKeyFigure,
}

const MAX_PNG_BYTES = 1_000_000

/** Draws the rows of a chart request as an image. Equal requests produce identical images. */
export async function drawChart(request: ChartRequest): Promise<Chart> {
  setFallbackMeasurementFonts(await loadFallbackFonts(JSON.stringify(request)))
  const chart = prepareChart(request)
  const { scene, ...drawn } = DRAW[chart.kind](chart)
  const svg = makeSvgAccessible(await renderInThread(scene), { title: drawn.title, description: drawn.altText })
  return {
    kind: chart.kind,
    ...drawn,
    svg,
    renderPng: (maxBytes = MAX_PNG_BYTES) =>
      renderPngWithinByteLimit(maxBytes, chart.width, (width) => renderSvg(svg, { background: PALETTES[chart.theme].background, width })),
    vegaLite: scene.spec as unknown as Record<string, unknown>,
  }
}
