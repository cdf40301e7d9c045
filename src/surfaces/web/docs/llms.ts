import type { DocPage } from './library.ts'

const SUMMARY = 'Open, self-hosted event management that assistants drive over MCP.'
const ABOUT = 160

/** Which pages there are and what each is about, for assistants: https://llmstxt.org. */
export function llmsIndex(pages: readonly DocPage[], baseUrl: string): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  return [
    '# Lanyard',
    '',
    `> ${SUMMARY}`,
    '',
    `Every page is also there as Markdown, under its address with \`.md\` added. All of them in one file: ${baseUrl}/llms-full.txt`,
    ...groups.flatMap((group) => ['', `## ${group}`, '', ...pages.filter((page) => page.group === group).map((page) => line(page, baseUrl))]),
    '',
  ].join('\n')
}

/** All pages one after the other, each under its address. */
export const llmsWhole = (pages: readonly DocPage[], baseUrl: string): string =>
  pages.map(({ path, markdown }) => `Source: ${baseUrl}${path}\n\n${markdown.trimEnd()}\n`).join('\n---\n\n')

const line = (page: DocPage, baseUrl: string) => `- [${page.title}](${baseUrl}${page.path}.md): ${aboutOf(page)}`

/** The first sentence of a page says what it is about. */
function aboutOf({ sections }: DocPage): string {
  const text = (sections.find((section) => section.text.trim() !== '')?.text ?? '').replaceAll(/\s+/g, ' ').trim()
  const sentence = /^.*?[.:](?= |$)/.exec(text)?.[0] ?? text
  return sentence.length <= ABOUT ? sentence : `${sentence.slice(0, sentence.lastIndexOf(' ', ABOUT))} …`
}
