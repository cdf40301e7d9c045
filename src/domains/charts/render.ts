import * as vega from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile } from 'vega-lite'
import type { VegaSpecWithData } from './scene.ts'
import { loadFallbackFonts, measureText, setFallbackMeasurementFonts } from '../fonts/text-width.ts'

/** A Vega loader that refuses every request, because chart specifications contain their data. */
const REFUSING_LOADER: vega.Loader = {
  load: refuse,
  sanitize: refuse,
  http: refuse,
  file: refuse,
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('charts load nothing'))
}

interface TextItem {
  fontSize?: number
  fontWeight?: number | string
  limit?: number
}

const isBold = (weight: number | string | undefined) => weight === 'bold' || Number(weight) >= 600

const { textMetrics, resetSVGDefIds } = vega as unknown as {
  textMetrics: { width: (item: TextItem, text: unknown) => number }
  resetSVGDefIds: () => void
}

textMetrics.width = (item: TextItem, text: unknown) => {
  const width = measureText(text == null ? '' : String(text), item.fontSize ?? 11, isBold(item.fontWeight) ? 'semiBold' : 'regular')
  return item.limit ? Math.min(item.limit, width) : width
}

/** Renders a scene as SVG. Equal scenes give identical SVG text. Blocks its thread for up to half a second. */
export async function renderScene(scene: VegaSpecWithData): Promise<string> {
  const { spec, datasets } = scene
  setFallbackMeasurementFonts(await loadFallbackFonts(JSON.stringify(scene)))
  const { spec: compiled } = compile({ ...spec, datasets } as typeof spec)
  const runtime = vega.parse(compiled, undefined, { ast: true })
  const view = new vega.View(runtime, {
    renderer: 'none',
    loader: REFUSING_LOADER,
    logLevel: vega.None,
    expr: expressionInterpreter,
  } as never)
  try {
    resetSVGDefIds()
    return await view.toSVG()
  } finally {
    view.finalize()
  }
}
