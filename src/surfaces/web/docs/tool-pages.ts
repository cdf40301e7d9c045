import type { Tool, Toolset } from '../../../kernel/tool.ts'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import type { ToolExamples } from './examples.ts'
import { type ToolDocsGroup, buildToolPage, formatToolRequirements } from './tool-page.ts'

export interface ToolPage {
  /** The name of the page in its URL and in its file name in `docs/tools`. */
  name: string
  markdown: string
  /** On the page of one tool, the name of the page of its group of tools; null on the page of a group. */
  under: string | null
}

export interface DocumentedTools {
  toolsets: readonly Toolset[]
  participant: readonly Tool[]
  feedback: readonly Tool[]
}

interface ToolGroup extends ToolDocsGroup {
  text: string
  tools: readonly Tool[]
}

/**
 * Builds a page for each group with tools, followed by a page for each tool. The repository's `docs/tools` and the site are generated from
 * the same source.
 */
export function* toolPages(served: DocumentedTools, examples: ToolExamples): CooperativeTask<ToolPage[]> {
  const pages: ToolPage[] = []
  for (const group of groupsOf(served)) {
    pages.push({ name: group.name, markdown: groupPage(group), under: null })
    for (const tool of group.tools) {
      const example = Object.hasOwn(examples, tool.name) ? examples[tool.name] : undefined
      pages.push({ name: `${group.name}/${tool.name}`, markdown: buildToolPage(tool, group, example), under: group.name })
      yield
    }
  }
  return pages
}

function groupsOf({ toolsets, participant, feedback }: DocumentedTools): ToolGroup[] {
  const groups = [
    ...toolsets.map(({ name, tools }) => ({
      name,
      title: `Toolset ${name}`,
      text: `Connect only this toolset: \`/api/mcp/organizer?toolsets=${name}\`.`,
      tools,
    })),
    {
      name: 'participant',
      title: 'Participant tools',
      text: 'Available at `/api/mcp/participant` to assistants with an API account, for one verified participant at one event.',
      tools: participant,
    },
    {
      name: 'feedback-tracker',
      title: 'Feedback tracker tools',
      text: 'Available at `/api/mcp/feedback-tracker` to the operator of this installation, with `LANYARD_OPERATOR_TOKEN`. Internal.',
      tools: feedback,
    },
  ]
  return groups.filter(({ tools }) => tools.length > 0)
}

/** Builds the documentation page of a group of tools, with one heading per tool as link target, and a link to the tool's own page. */
const groupPage = ({ name, title, text, tools }: ToolGroup): string =>
  lines([
    `# ${title}`,
    '',
    text,
    ...tools.flatMap((tool) => [
      '',
      `## ${tool.name}`,
      '',
      `**[${tool.title}](/docs/tools/${name}/${tool.name})** · ${tool.effect} · ${formatToolRequirements(tool)}`,
      '',
      tool.description,
    ]),
  ])

/** Builds a table of the tools of each group, with purpose, effect and required permission. */
export const buildToolIndex = (served: DocumentedTools): string =>
  lines(
    groupsOf(served).flatMap(({ name, title, text, tools }) => [
      '',
      `## ${title}`,
      '',
      `${text} [Descriptions of these tools](/docs/tools/${name})`,
      '',
      '| Tool | Purpose | Effect | Needs |',
      '|---|---|---|---|',
      ...tools.map(
        (tool) => `| [${tool.name}](/docs/tools/${name}/${tool.name}) | ${tool.title} | ${tool.effect} | ${formatToolRequirements(tool)} |`,
      ),
    ]),
  )

const lines = (all: string[]) => `${all.join('\n')}\n`
