import { posix } from 'node:path'
import type { Source } from './sources.ts'

type Layer = 'kernel' | 'domains' | 'toolsets' | 'participant-tools' | 'feedback-tools' | 'surfaces' | 'platform' | 'app' | 'composition'

const TOOLS = ['toolsets', 'participant-tools', 'feedback-tools'] as const

/** The layers that a layer may import. Files outside the layer folders are the composition root. */
const ALLOWED_IMPORTS: Record<Layer, readonly Layer[]> = {
  kernel: ['kernel'],
  domains: ['kernel', 'domains'],
  toolsets: ['kernel', 'domains', 'toolsets'],
  'participant-tools': ['kernel', 'domains', 'participant-tools'],
  'feedback-tools': ['kernel', 'domains', 'feedback-tools'],
  surfaces: ['kernel', 'domains', ...TOOLS, 'surfaces'],
  platform: ['kernel', 'platform'],
  app: ['kernel', 'domains', ...TOOLS, 'surfaces'],
  composition: ['kernel', 'domains', ...TOOLS, 'surfaces', 'platform', 'app', 'composition'],
}

/** The layers that may import a package. A new package must be added here with its first use. */
const PACKAGE_LAYERS: Record<string, readonly Layer[]> = {
  zod: ['kernel', 'domains', ...TOOLS, 'surfaces', 'platform'],
  kysely: ['kernel', 'domains', 'platform', 'composition'],
  hono: ['surfaces', 'app', 'composition'],
  '@hono/node-server': ['surfaces', 'app', 'composition'],
  '@modelcontextprotocol/server': ['surfaces', 'app', 'composition'],
  'markdown-it': ['domains', 'surfaces'],
  re2js: ['kernel'],
  croner: ['kernel'],
  'sanitize-html': ['domains'],
  'libphonenumber-js': ['domains'],
  'i18n-iso-countries': ['kernel', 'domains'],
  qrcode: ['domains', 'surfaces'],
  pdfkit: ['domains'],
  'bidi-js': ['domains'],
  'pdf-lib': ['domains'],
  'node-forge': ['domains'],
  '@signpdf/signpdf': ['domains'],
  '@signpdf/placeholder-pdf-lib': ['domains'],
  'csv-parse': ['domains'],
  exceljs: ['domains'],
  jszip: ['domains'],
  yazl: ['domains'],
  'fast-xml-parser': ['domains'],
  diff: ['domains'],
  '@resvg/resvg-js': ['domains'],
  vega: ['domains'],
  'vega-lite': ['domains'],
  'vega-interpreter': ['domains'],
  saxes: ['domains'],
  pbf: ['domains'],
  'dxf-parser': ['domains'],
  'pdfjs-dist': ['domains'],
  sharp: ['domains'],
  'tesseract.js': ['domains'],
  'ical-generator': ['domains'],
  porter2: ['domains'],
  '@orama/stemmers': ['domains'],
  minisearch: ['surfaces'],
  pg: ['platform'],
  '@electric-sql/pglite': ['platform'],
  'pg-boss': ['platform'],
  nodemailer: ['platform'],
  stripe: ['platform'],
  '@aws-sdk/client-s3': ['platform'],
  '@aws-sdk/lib-storage': ['platform'],
  'file-type': ['domains'],
  busboy: ['surfaces'],
  '@node-rs/argon2': ['platform'],
}

const FOLDERS = ['kernel', 'domains', ...TOOLS, 'surfaces', 'platform'] as const

function layerOf(path: string): Layer | null {
  const [top, folder, ...rest] = path.split('/')
  if (top !== 'src' || folder === undefined) return null
  const known = FOLDERS.find((name) => name === folder)
  if (known) return rest.length > 0 ? known : null
  return folder === 'app.ts' ? 'app' : 'composition'
}

const IMPORT = /\b(?:import|export)\b[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]|(?<!['"])\bimport\s*\(?\s*['"]([^'"]+)['"]/g

const importsOf = ({ text }: Source): string[] => [...text.matchAll(IMPORT)].map(([, from, bare]) => (from ?? bare)!)

const packageOf = (name: string) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')

export function findImportProblems(sources: readonly Source[], uses: Readonly<Record<string, readonly string[]>>): string[] {
  return sources.flatMap((source) => {
    const layer = layerOf(source.path)
    if (!layer) return [`${source.path} belongs to no layer`]
    return importsOf(source).flatMap((from) => {
      if (from.startsWith('node:')) return []
      // Exception: the kernel may import the table types, which are generated beside the migrations.
      if (layer === 'kernel' && from === '../../migrations/tables.d.ts') return []
      if (!from.startsWith('.')) return findPackageProblems(source.path, layer, packageOf(from))
      return findLayerProblems(source.path, layer, posix.join(posix.dirname(source.path), from), uses)
    })
  })
}

function findPackageProblems(path: string, layer: Layer, name: string): string[] {
  const allowed = PACKAGE_LAYERS[name]
  if (!allowed) return [`${path} imports ${name}, which is not listed in test/architecture/layers.ts`]
  return allowed.includes(layer) ? [] : [`${path} imports ${name}, which is not allowed in ${layer}`]
}

function findLayerProblems(path: string, layer: Layer, target: string, uses: Readonly<Record<string, readonly string[]>>): string[] {
  const to = layerOf(target)
  if (!to || !ALLOWED_IMPORTS[layer].includes(to)) return [`${path} imports ${target}, against the layer rules`]
  const [own = '', other = ''] = [path.split('/')[2], target.split('/')[2]]
  const sideways = layer === to && own !== other && !own.includes('.')
  if (!sideways) return []
  if (layer === 'domains' && !uses[own]?.includes(other))
    return [`${path} imports ${target}: src/domains/map.ts does not let ${own} use ${other}`]
  return layer === 'toolsets' ? [`${path} imports ${target}, which belongs to another toolset`] : []
}

/** Checks the domain map, which is written by hand: a domain could be missing, or the map could contain a cycle. */
export function findDomainMapProblems(uses: Readonly<Record<string, readonly string[]>>, domains: readonly string[]): string[] {
  const circle = (name: string, path: readonly string[]): string[] => {
    if (path.includes(name)) return [[...path.slice(path.indexOf(name)), name].join(' -> ')]
    return (uses[name] ?? []).flatMap((next) => circle(next, [...path, name]))
  }
  const [first] = Object.keys(uses).flatMap((name) => circle(name, []))
  return [
    ...domains.filter((name) => !Object.hasOwn(uses, name)).map((name) => `${name} is not on the map`),
    ...Object.entries(uses).flatMap(([name, used]) =>
      used.filter((other) => !Object.hasOwn(uses, other)).map((other) => `${name} uses ${other}, which is not on the map`),
    ),
    ...(first ? [`the map has a cycle: ${first}`] : []),
  ]
}
