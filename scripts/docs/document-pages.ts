import { childNode, type ConfigNode, type ObjectNode, ROOT, type UnionNode } from '../../src/domains/configuration/schema/nodes.ts'
import { EXAMPLE_BLOCKS, EXAMPLE_SECTIONS, EXAMPLE_WIDGETS } from './document-examples.ts'
import { shownJson } from './shown-json.ts'

/** Everything that a configuration can hold, read off the schema that checks it: its sections on one page, widgets and blocks on another. */
export function documentFiles(folder: string): Map<string, string> {
  const sections = [...ROOT.fields].flatMap(([name, node]) => [
    '',
    `## ${name}`,
    '',
    ...(node.help ? [`${node.help}.`, ''] : []),
    ...example((EXAMPLE_SECTIONS as Record<string, unknown>)[name]),
    ...placesOf(node, `/${name}`),
  ])
  const [widgets, blocks] = [unionAt('flows', 'pages', 'widgets'), unionAt('emails', 'blocks')]
  return new Map([
    [`${folder}/event-document.md`, fileOf([...INTRODUCTION, '', ...contents([...ROOT.fields.keys()], ' ·'), ...sections])],
    [
      `${folder}/widgets.md`,
      fileOf([
        ...WIDGETS,
        '',
        ...contents([...widgets.options.keys()], ' ·'),
        ...alternatives(widgets, EXAMPLE_WIDGETS),
        ...BLOCKS,
        '',
        ...contents([...blocks.options.keys()], ' ·', [...widgets.options.keys()]),
        ...alternatives(blocks, EXAMPLE_BLOCKS),
      ]),
    ],
  ])
}

const fileOf = (lines: readonly string[]) => `${lines.join('\n')}\n`

const INTRODUCTION = [
  '# The event document',
  '',
  'All that an event is, sells, asks and says is one JSON document. `configure_event` adds parts of it, `config_set` changes single places, `config_explore` shows it with its values,',
  'and `publish_event` makes it live: [From an empty account to a published event](/docs/first-event) does all of that. What pages and mails are made of is on',
  '[Widgets and blocks](/docs/widgets).',
  '',
  'A place is named by a pointer in which items of a list are named by their key, as `/products/dinner/prices/0/amount`. Each part below has an example; together they are one event.',
  'After a key stand its type and its default. Where none is said, it is null when left out.',
]

const WIDGETS = [
  '# Widgets and blocks',
  '',
  '## Widgets of pages',
  '',
  'Pages of a flow are made of widgets. Each has an `id`, a `type`, and may have `showWhen`, `visibleForTags` and `width` (`full`, `half` or `third`).',
]

const BLOCKS = ['', '## Blocks of mails', '', 'Mails are made of blocks. Each has an `id`, a `type`, and may have `showWhen`.']

const COMMON = ['id', 'type', 'showWhen', 'visibleForTags', 'width']

/** Links to the headings of these names. One that stands under another heading of the page already has the second anchor. */
const contents = (names: readonly string[], between: string, before: readonly string[] = []): string[] =>
  names.map((name, at) => `[${name}](#${name.toLowerCase()}${before.includes(name) ? '-1' : ''})${at < names.length - 1 ? between : ''}`)

const example = (value: unknown): string[] => ['```json', shownJson(value), '```', '']

function unionAt(...path: string[]): UnionNode {
  let node: ConfigNode = ROOT
  for (const name of path) {
    const next: ConfigNode = childNode(node, name)!
    node = next.kind === 'list' ? next.item : next
  }
  return node as UnionNode
}

const alternatives = ({ options }: UnionNode, examples: Record<string, unknown>): string[] =>
  [...options].flatMap(([type, node]) => ['', `### ${type}`, '', ...example(examples[type]), ...(hasOwn(node) ? keysOf(node, COMMON) : ['Nothing further.'])])

const hasOwn = ({ fields }: ObjectNode) => [...fields.keys()].some((name) => !COMMON.includes(name))

/** The keys of a place, and after it those of the objects and lists of objects that it holds. */
function placesOf(node: ConfigNode, path: string): string[] {
  if (node.kind === 'list') return placesOf(node.item, `${path}/${node.key === null ? '<index>' : `<${node.key}>`}`)
  if (node.kind === 'record') return [`\`${path}/<language>/<pointer>\``, '', ...(node.value.kind === 'record' ? placesOf(node.value.value, path).slice(2) : [])]
  if (node.kind !== 'object') return []
  const below = [...node.fields].flatMap(([name, field]) => {
    const places = isVisibility(name) ? [] : placesOf(field, `${path}/${name}`)
    return places.length > 0 ? ['', ...places] : []
  })
  return [`\`${path}\``, '', ...keysOf(node), ...below]
}

const isVisibility = (name: string) => name === 'visibleForTags'

/** As a list: a table of three columns is wider than a phone. */
const keysOf = ({ fields }: ObjectNode, without: readonly string[] = []): string[] =>
  [...fields].filter(([name]) => !without.includes(name)).map(([name, node]) => `- **${name}**: ${typeOf(node)}${absentOf(node)}${node.help ? `. ${node.help}` : ''}`)

function typeOf(node: ConfigNode): string {
  if (node.kind === 'list') return node.item.kind === 'value' ? `list of ${typeOf(node.item)}` : `list${node.key ? ` by \`${node.key}\`` : ''}`
  if (node.kind === 'value') return node.allowed ? node.allowed.map((value) => `\`${value}\``).join(', ') : node.valueType + (node.word.translatable ? ', translatable' : '')
  return node.word.condition ? 'condition' : 'object'
}

function absentOf(node: ConfigNode): string {
  if (node.default === undefined) return ', **required**'
  if (node.default === null) return ''
  return `, default \`${JSON.stringify(node.default)}\``
}
