import { findChildNode, type ConfigNode, type ObjectNode, ROOT_NODE, type UnionNode } from '../../src/domains/configuration/schema/nodes.ts'
import { EXAMPLE_BLOCKS, EXAMPLE_SECTIONS, EXAMPLE_WIDGETS } from './document-examples.ts'
import { formatShownJson } from './shown-json.ts'

/** The reference of the configuration, generated from its schema: sections on one page, widgets and blocks on another. */
export function buildDocumentFiles(folder: string): Map<string, string> {
  const sections = [...ROOT_NODE.fields].flatMap(([name, node]) => [
    '',
    `## ${name}`,
    '',
    ...(node.help ? [`${node.help}.`, ''] : []),
    ...example((EXAMPLE_SECTIONS as Record<string, unknown>)[name]),
    ...listPaths(node, `/${name}`),
  ])
  const [widgets, blocks] = [unionAt('flows', 'pages', 'widgets'), unionAt('emails', 'blocks')]
  return new Map([
    [`${folder}/event-document.md`, fileOf([...INTRODUCTION, '', ...contents([...ROOT_NODE.fields.keys()], ' ·'), ...sections])],
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
  'All settings, products, questions and texts of an event are one JSON document. `configure_event` adds parts of it, `config_set` changes single values, `config_explore` shows it with its values,',
  'and `publish_event` makes it live. See [From an empty account to a published event](/docs/first-event) for all steps. The parts of pages and emails are described in',
  '[Widgets and blocks](/docs/widgets).',
  '',
  'A path is a pointer in which list items are identified by their key, such as `/products/dinner/prices/0/amount`. Each section below has an example; together they are one event.',
  'Each key is followed by its type and default value. A key without a default is null when omitted.',
]

const WIDGETS = [
  '# Widgets and blocks',
  '',
  '## Widgets of pages',
  '',
  'Pages of a flow consist of widgets. Each has an `id` and a `type`, and can have `showWhen`, `visibleForTags` and `width` (`full`, `half` or `third`).',
]

const BLOCKS = ['', '## Blocks of emails', '', 'Emails consist of blocks. Each has an `id` and a `type`, and can have `showWhen`.']

const COMMON = ['id', 'type', 'showWhen', 'visibleForTags', 'width']

/** Links to these headings. If the page already has a heading with the same name, the link uses the second anchor. */
const contents = (names: readonly string[], between: string, before: readonly string[] = []): string[] =>
  names.map((name, at) => `[${name}](#${name.toLowerCase()}${before.includes(name) ? '-1' : ''})${at < names.length - 1 ? between : ''}`)

const example = (value: unknown): string[] => ['```json', formatShownJson(value), '```', '']

function unionAt(...path: string[]): UnionNode {
  let node: ConfigNode = ROOT_NODE
  for (const name of path) {
    const next: ConfigNode = findChildNode(node, name)!
    node = next.kind === 'list' ? next.item : next
  }
  return node as UnionNode
}

const alternatives = ({ options }: UnionNode, examples: Record<string, unknown>): string[] =>
  [...options].flatMap(([type, node]) => ['', `### ${type}`, '', ...example(examples[type]), ...(hasOwn(node) ? listKeys(node, COMMON) : ['Nothing further.'])])

const hasOwn = ({ fields }: ObjectNode) => [...fields.keys()].some((name) => !COMMON.includes(name))

/** The keys at a path, followed by those of its nested objects and lists of objects. */
function listPaths(node: ConfigNode, path: string): string[] {
  if (node.kind === 'list') return listPaths(node.item, `${path}/${node.key === null ? '<index>' : `<${node.key}>`}`)
  if (node.kind === 'record') return [`\`${path}/<language>/<pointer>\``, '', ...(node.value.kind === 'record' ? listPaths(node.value.value, path).slice(2) : [])]
  if (node.kind !== 'object') return []
  const below = [...node.fields].flatMap(([name, field]) => {
    const places = isVisibility(name) ? [] : listPaths(field, `${path}/${name}`)
    return places.length > 0 ? ['', ...places] : []
  })
  return [`\`${path}\``, '', ...listKeys(node), ...below]
}

const isVisibility = (name: string) => name === 'visibleForTags'

/** A list, because a table of three columns is wider than a phone. */
const listKeys = ({ fields }: ObjectNode, without: readonly string[] = []): string[] =>
  [...fields].filter(([name]) => !without.includes(name)).map(([name, node]) => `- **${name}**: ${typeOf(node)}${formatDefault(node)}${node.help ? `. ${node.help}` : ''}`)

function typeOf(node: ConfigNode): string {
  if (node.kind === 'list') return node.item.kind === 'value' ? `list of ${typeOf(node.item)}` : `list${node.key ? ` by \`${node.key}\`` : ''}`
  if (node.kind === 'value') return node.allowed ? node.allowed.map((value) => `\`${value}\``).join(', ') : node.valueType + (node.annotations.translatable ? ', translatable' : '')
  return node.annotations.condition ? 'condition' : 'object'
}

function formatDefault(node: ConfigNode): string {
  if (node.default === undefined) return ', **required**'
  if (node.default === null) return ''
  return `, default \`${JSON.stringify(node.default)}\``
}
