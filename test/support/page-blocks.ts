import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What stands between fences on a page of the documentation. */
export interface Block {
  language: string
  /** What the page uses it for, where it says so: `call` or `answer`. */
  use: string
  text: string
  /** Under which it stands. */
  heading: string
  /** Where its text is in the page. */
  from: number
  until: number
}

export const pageFile = (name: string): string => fileURLToPath(new URL(`../../docs/pages/${name}.md`, import.meta.url))

export const readPageSource = (name: string): string => readFileSync(pageFile(name), 'utf8')

const FENCE = /^```(\w*)(?: (\w+))?\n([\s\S]*?)^```$|^#{1,4} (.+)$/gm

export function blocksIn(markdown: string): Block[] {
  let heading = ''
  const blocks: Block[] = []
  for (const { 0: whole, 1: language = '', 2: use = '', 3: text, 4: title, index } of markdown.matchAll(FENCE)) {
    if (text === undefined) heading = title!
    else {
      const from = index + whole.indexOf('\n') + 1
      blocks.push({ language, use, text, heading, from, until: from + text.length })
    }
  }
  return blocks
}
