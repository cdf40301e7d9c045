import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A fenced code block on a documentation page. */
export interface CodeBlock {
  language: string
  /** The role that the page declares for the block: `call` or `answer`. */
  use: string
  text: string
  /** The heading above the block. */
  heading: string
  /** The offset of the block's text in the page. */
  from: number
  until: number
}

export const pageFile = (name: string): string => fileURLToPath(new URL(`../../docs/pages/${name}.md`, import.meta.url))

export const readPageSource = (name: string): string => readFileSync(pageFile(name), 'utf8')

const FENCE = /^```(\w*)(?: (\w+))?\n([\s\S]*?)^```$|^#{1,4} (.+)$/gm

export function parseCodeBlocks(markdown: string): CodeBlock[] {
  let heading = ''
  const blocks: CodeBlock[] = []
  for (const { 0: whole, 1: language = '', 2: use = '', 3: text, 4: title, index } of markdown.matchAll(FENCE)) {
    if (text === undefined) heading = title!
    else {
      const from = index + whole.indexOf('\n') + 1
      blocks.push({ language, use, text, heading, from, until: from + text.length })
    }
  }
  return blocks
}
