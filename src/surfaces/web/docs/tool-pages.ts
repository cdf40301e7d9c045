import type { Tool, Toolset } from '../../../kernel/tool.ts'
import type { InParts } from '../../../kernel/turns.ts'
import type { ToolExamples } from './examples.ts'
import { type Group, toolPage, whoMay } from './tool-page.ts'

export interface ToolPage {
  /** Of the page's address, and of the file in `docs/tools`. */
  name: string
  markdown: string
  /** The page of the group that a tool's own page stands under. */
  under: string | null
}

export interface ServedTools {
  toolsets: readonly Toolset[]
  participant: readonly Tool[]
  feedback: readonly Tool[]
}

interface ToolGroup extends Group {
  text: string
  tools: readonly Tool[]
}

/** A page for each group that serves anything, followed by one for each of its tools. The repository's `docs/tools` and the site's pages are both made of this, so they cannot disagree. */
export function* toolPages(served: ServedTools, examples: ToolExamples): InParts<ToolPage[]> {
  const pages: ToolPage[] = []
  for (const group of groupsOf(served)) {
    pages.push({ name: group.name, markdown: groupPage(group), under: null })
    for (const tool of group.tools) {
      const example = Object.hasOwn(examples, tool.name) ? examples[tool.name] : undefined
      pages.push({ name: `${group.name}/${tool.name}`, markdown: toolPage(tool, group, example), under: group.name })
      yield
    }
  }
  return pages
}

function groupsOf({ toolsets, participant, feedback }: ServedTools): ToolGroup[] {
  const groups = [
    ...toolsets.map(({ name, tools }) => ({
      name,
      title: `Toolset ${name}`,
      text: `Connect only this one: \`/api/mcp/organizer?toolsets=${name}\`.`,
      tools,
    })),
    {
      name: 'participant',
      title: 'Participant tools',
      text: 'Served at `/api/mcp/participant`, to assistants with an API account, for one verified person at one event.',
      tools: participant,
    },
    {
      name: 'feedback-tracker',
      title: 'Feedback tracker tools',
      text: 'Served at `/api/mcp/feedback-tracker`, to whoever runs this installation and holds `LANYARD_OPERATOR_TOKEN`. Internal.',
      tools: feedback,
    },
  ]
  return groups.filter(({ tools }) => tools.length > 0)
}

/** One heading for each tool, which links from elsewhere lead to, and the way to its own page. */
const groupPage = ({ name, title, text, tools }: ToolGroup): string =>
  lines([
    `# ${title}`,
    '',
    text,
    ...tools.flatMap((tool) => [
      '',
      `## ${tool.name}`,
      '',
      `**[${tool.title}](/docs/tools/${name}/${tool.name})** · ${tool.effect} · ${whoMay(tool)}`,
      '',
      tool.description,
    ]),
  ])

/** Which tools there are, with what each may do and who may call it. */
export function toolIndex(served: ServedTools): string {
  const rows = groupsOf(served).flatMap(({ name, tools }) =>
    tools.map((tool) => `| [${tool.name}](/docs/tools/${name}/${tool.name}) | ${name} | ${tool.effect} | ${whoMay(tool)} |`),
  )
  return lines(['| Tool | Toolset | Effect | Needs |', '|---|---|---|---|', ...rows])
}

const lines = (all: string[]) => `${all.join('\n')}\n`
