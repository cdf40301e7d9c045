import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { InParts } from '../../../kernel/turns.ts'
import { readExamples } from './examples.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'
import { type ServedTools, toolIndex, toolPages } from './tool-pages.ts'

/** src/ and dist/ are equally deep, so this holds in both. */
const FOLDER = fileURLToPath(new URL('../../../../docs/', import.meta.url))

/** Stands in the sources for the address of this installation. */
const EXAMPLE_BASE = 'https://lanyard.example'

interface Source {
  path: string
  group: string
  markdown: string
  /** Address of the page that this one is a part of. */
  under?: string
  /** Says nothing that the pages it lists do not say. */
  lists?: true
}

export interface DocPage extends Rendered, Source {
  title: string
}

const read = (file: string) => readFileSync(`${FOLDER}${file}`, 'utf8').replaceAll('\r\n', '\n')

/** Every page of the documentation in the order of its navigation. What no tool serves has no page. */
export function* docPages(baseUrl: string, served: ServedTools): InParts<DocPage[]> {
  const pages: DocPage[] = []
  for (const source of yield* sourcesOf(served)) {
    const markdown = source.markdown.replaceAll(EXAMPLE_BASE, baseUrl)
    const rendered = renderMarkdown(markdown)
    pages.push({ ...source, ...rendered, markdown, title: rendered.sections[0]!.heading.text })
    yield
  }
  return pages
}

function* sourcesOf(served: ServedTools): InParts<Source[]> {
  const signsIn = served.participant.some(({ name }) => name === 'agent_request_otp')
  const tools = yield* toolPages(served, readExamples())
  const page = (group: string, name: string): Source => ({ path: `/docs/${name}`, group, markdown: read(`pages/${name}.md`) })
  return [
    { path: '/docs', group: 'Start', markdown: read('pages/index.md') },
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
    page('Reference', 'event-document'),
    page('Reference', 'widgets'),
    page('Reference', 'errors'),
    page('Reference', 'limits'),
    { path: '/docs/tools', group: 'Tools', markdown: `${TOOLS_INTRODUCTION}\n${toolIndex(served)}`, lists: true },
    ...tools.map(
      ({ name, markdown, under }): Source => ({
        path: `/docs/tools/${name}`,
        group: 'Tools',
        markdown,
        ...(under === null ? { lists: true as const } : { under: `/docs/tools/${under}` }),
      }),
    ),
    { path: '/docs/operating', group: 'Operating', markdown: read('operating.md') },
    { path: '/docs/changelog', group: 'Operating', markdown: read('../CHANGELOG.md') },
  ]
}

const TOOLS_INTRODUCTION = `# All tools

These are the tools that this installation serves, made from the same definitions that answer the calls. Each has one effect:

- **read** looks and changes nothing.
- **change** changes something that can be changed back. Every change is recorded under the organizer's name and the connected app.
- **destructive** cannot be undone. Call it with \`dryRun: true\` first: it does everything, keeps nothing, and says exactly what would happen.

An organizer's assistant is shown the tools that the organizer's roles can use in at least one client, and every call is checked again where it acts.
`
