import type { DocPage } from './library.ts'

const SUMMARY = 'Open, self-hosted event management that assistants drive over MCP.'
const MAX_SUMMARY_LENGTH = 160

/** Builds the index of all pages for assistants, see https://llmstxt.org. */
export function buildLlmsIndex(pages: readonly DocPage[], baseUrl: string): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  return [
    '# Lanyard',
    '',
    `> ${SUMMARY}`,
    '',
    `Every page is also available as Markdown: add \`.md\` to its address. All pages in one file: ${baseUrl}/llms-full.txt`,
    ...groups.flatMap((group) => ['', `## ${group}`, '', ...pages.filter((page) => page.group === group).map((page) => line(page, baseUrl))]),
    '',
  ].join('\n')
}

/** Joins the Markdown of all pages in one text, each after its URL. */
export const buildLlmsFullText = (pages: readonly DocPage[], baseUrl: string): string =>
  pages.map(({ path, markdown }) => `Source: ${baseUrl}${path}\n\n${markdown.trimEnd()}\n`).join('\n---\n\n')

const line = (page: DocPage, baseUrl: string) => `- [${page.title}](${baseUrl}${page.path}.md): ${summarize(page)}`

/** Returns the first sentence of a page as its summary. */
function summarize({ sections }: DocPage): string {
  const text = (sections.find((section) => section.text.trim() !== '')?.text ?? '').replaceAll(/\s+/g, ' ').trim()
  const sentence = /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text
  return sentence.length <= MAX_SUMMARY_LENGTH ? sentence : `${sentence.slice(0, sentence.lastIndexOf(' ', MAX_SUMMARY_LENGTH))} …`
}
