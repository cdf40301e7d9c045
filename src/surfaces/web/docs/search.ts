import type { DocPage } from './library.ts'

export interface Hit {
  href: string
  page: string
  heading: string
  excerpt: string
}

const MAX_HITS = 30
const AROUND = 90

/** Sections in which every word occurs, those that are named so first. */
export function searchDocs(pages: readonly DocPage[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8)
  if (words.length === 0) return []
  const found = pages.flatMap((page) =>
    page.sections.flatMap(({ heading, text }) => {
      const name = heading.text.toLowerCase()
      const all = `${name} ${text.toLowerCase()} ${page.title.toLowerCase()}`
      if (!words.every((word) => all.includes(word))) return []
      const often = Math.min(5, Math.max(...words.map((word) => all.split(word).length - 1)))
      const score = words.filter((word) => name.includes(word)).length * 10 + (name === words.join(' ') ? 20 : 0) + often
      const hit = {
        href: heading.level === 1 ? page.path : `${page.path}#${heading.id}`,
        page: page.title,
        heading: heading.text,
        excerpt: excerptOf(text, words),
      }
      return [{ score, hit }]
    }),
  )
  return found
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_HITS)
    .map(({ hit }) => hit)
}

function excerptOf(text: string, words: readonly string[]): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  const lower = flat.toLowerCase()
  const at = Math.max(0, ...words.map((word) => lower.indexOf(word)).filter((index) => index >= 0).slice(0, 1))
  // Whole words: a cut in the middle of one reads like a mistake.
  const start = at <= AROUND ? 0 : flat.indexOf(' ', at - AROUND) + 1
  const end = at + AROUND * 2 >= flat.length ? flat.length : flat.lastIndexOf(' ', at + AROUND * 2)
  return `${start > 0 ? '… ' : ''}${flat.slice(start, end)}${end < flat.length ? ' …' : ''}`
}
