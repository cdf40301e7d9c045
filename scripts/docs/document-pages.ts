import { childNode, type ConfigNode, type ObjectNode, ROOT, type UnionNode } from '../../src/domains/configuration/schema/nodes.ts'

/** Everything that a configuration can hold, read off the schema that checks it: its sections on one page, widgets and blocks on another. */
export function documentFiles(folder: string): Map<string, string> {
  const sections = [...ROOT.fields].flatMap(([name, node]) => ['', `## ${name}`, '', ...(node.help ? [`${node.help}.`, ''] : []), ...tablesOf(node, `/${name}`)])
  return new Map([
    [`${folder}/event-document.md`, fileOf([...INTRODUCTION, ...sections])],
    [`${folder}/widgets.md`, fileOf([...WIDGETS, ...alternatives(unionAt('flows', 'pages', 'widgets')), ...BLOCKS, ...alternatives(unionAt('emails', 'blocks'))])],
  ])
}

const fileOf = (lines: readonly string[]) => `${lines.join('\n')}\n`

const INTRODUCTION = [
  '# The event document',
  '',
  'Every key of an event configuration, with its type and what it is when left out. Pointers name items of a list by their key, as in',
  '`/products/gala/prices/0/amount`. `config_explore` shows the same beside the values of an event, and `config_set` changes them.',
  'What pages and mails are made of is on [Widgets and blocks](/docs/widgets).',
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

function unionAt(...path: string[]): UnionNode {
  let node: ConfigNode = ROOT
  for (const name of path) {
    const next: ConfigNode = childNode(node, name)!
    node = next.kind === 'list' ? next.item : next
  }
  return node as UnionNode
}

const alternatives = ({ options }: UnionNode): string[] =>
  [...options].flatMap(([type, node]) => ['', `### ${type}`, '', ...(hasOwn(node) ? rowsOf(node, COMMON) : ['Nothing further.'])])

const hasOwn = ({ fields }: ObjectNode) => [...fields.keys()].some((name) => !COMMON.includes(name))

/** The table of a place, and after it those of the objects and lists of objects that it holds. */
function tablesOf(node: ConfigNode, path: string): string[] {
  if (node.kind === 'list') return tablesOf(node.item, `${path}/${node.key === null ? '<index>' : `<${node.key}>`}`)
  if (node.kind === 'record') return [`\`${path}/<language>/<pointer>\``, '', ...(node.value.kind === 'record' ? tablesOf(node.value.value, path).slice(2) : [])]
  if (node.kind !== 'object') return []
  const below = [...node.fields].flatMap(([name, field]) => {
    const tables = isVisibility(name) ? [] : tablesOf(field, `${path}/${name}`)
    return tables.length > 0 ? ['', ...tables] : []
  })
  return [`\`${path}\``, '', ...rowsOf(node), ...below]
}

const isVisibility = (name: string) => name === 'visibleForTags'

const rowsOf = ({ fields }: ObjectNode, without: readonly string[] = []): string[] => [
  '| Key | Type | When left out |',
  '|---|---|---|',
  ...[...fields].filter(([name]) => !without.includes(name)).map(([name, node]) => `| \`${name}\` | ${typeOf(node)}${node.help ? `. ${node.help}` : ''} | ${absentOf(node)} |`),
]

function typeOf(node: ConfigNode): string {
  if (node.kind === 'list') return node.item.kind === 'value' ? `list of ${typeOf(node.item)}` : `list${node.key ? ` by \`${node.key}\`` : ''}`
  if (node.kind === 'value') return node.allowed ? node.allowed.map((value) => `\`${value}\``).join(', ') : node.valueType + (node.word.translatable ? ', translatable' : '')
  return node.word.condition ? 'condition' : 'object'
}

function absentOf(node: ConfigNode): string {
  if (node.default === undefined) return '**required**'
  if (node.default === null) return ''
  return `\`${JSON.stringify(node.default)}\``
}
