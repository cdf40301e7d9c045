import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { CooperativeTask } from '../../../kernel/cooperative.ts'
import { buildApiPages } from './api-pages.ts'
import { readExamples } from './examples.ts'
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts'
import { type DocumentedTools, buildToolIndex, toolPages } from './tool-pages.ts'

/** The relative path of the folder is the same from src/ and from the compiled code in dist/. */
const DOCS_DIR = fileURLToPath(new URL('../../../../docs/', import.meta.url))

/** Placeholder for the base URL of this installation in the sources of the documentation. */
const EXAMPLE_BASE = 'https://lanyard.example'

interface DocSource {
  path: string
  group: string
  markdown: string
  /** URL of the parent page. */
  under?: string
  /** True for an index page, which only lists other pages. */
  lists?: true
  /** True for a page with wide tables. Its table of contents is above the text instead of beside it. */
  wide?: true
}

export interface DocPage extends RenderedMarkdown, DocSource {
  title: string
}

const readDoc = (file: string) => readFileSync(`${DOCS_DIR}${file}`, 'utf8').replaceAll('\r\n', '\n')

/** All documentation pages in navigation order. Only tools that this installation serves have a page. */
export function* renderDocPages(baseUrl: string, served: DocumentedTools): CooperativeTask<DocPage[]> {
  const pages: DocPage[] = []
  for (const source of yield* listSources(served)) {
    const markdown = source.markdown.replaceAll(EXAMPLE_BASE, baseUrl)
    const rendered = renderMarkdown(markdown)
    pages.push({ ...source, ...rendered, markdown, title: rendered.sections[0]!.heading.text })
    yield
  }
  return pages
}

function* listSources(served: DocumentedTools): CooperativeTask<DocSource[]> {
  const signsIn = served.participant.some(({ name }) => name === 'agent_request_otp')
  const tools = yield* toolPages(served, readExamples())
  const page = (group: string, name: string): DocSource => ({ path: `/docs/${name}`, group, markdown: readDoc(`pages/${name}.md`) })
  return [
    { path: '/docs', group: 'Start', markdown: readDoc('pages/index.md') },
    page('Start', 'connect'),
    page('Start', 'first-event'),
    page('Start', 'configuration'),
    page('Participants', 'participants'),
    ...(signsIn ? [page('Participants', 'participant-walk-through')] : []),
    page('Participants', 'registration-pages'),
    page('Programs', 'oauth'),
    page('Programs', 'rest'),
    page('Programs', 'webhooks'),
    page('Programs', 'leads'),
    ...buildApiPages().map((one): DocSource => ({ ...one, group: 'Programs', ...(one.under === undefined ? { lists: true as const } : { wide: true as const }) })),
    page('Reference', 'event-document'),
    page('Reference', 'widgets'),
    page('Reference', 'data'),
    page('Reference', 'errors'),
    page('Reference', 'limits'),
    { path: '/docs/tools', group: 'Tools', markdown: `${TOOLS_INTRODUCTION}\n${buildToolIndex(served)}`, lists: true, wide: true },
    ...tools.map(
      ({ name, markdown, under }): DocSource => ({
        path: `/docs/tools/${name}`,
        group: 'Tools',
        markdown,
        ...(under === null ? { lists: true as const } : { under: `/docs/tools/${under}`, wide: true as const }),
      }),
    ),
    { path: '/docs/operating', group: 'Operating', markdown: readDoc('operating.md') },
    { path: '/docs/changelog', group: 'Operating', markdown: readDoc('../CHANGELOG.md') },
  ]
}

const TOOLS_INTRODUCTION = `# All tools

These are the tools that this installation serves. This list is generated from their definitions. Each tool has one effect:

- **read** changes nothing.
- **change** makes a change that another call can revert. It is recorded under the organizer's name and the connected app.
- **destructive** cannot be undone. Call it with \`dryRun: true\` first: the call is executed and rolled back, and returns exactly what it would do.

An organizer's assistant sees the tools that the organizer's roles allow in at least one client. Every call is checked again for its client and event.
`
