import { fillClauseVariables } from './clause-text.ts'
import { normalizeClauseTitle } from './compare.ts'
import type { ClauseEdit } from './edits.ts'
import type { Clause } from './tables.ts'
import { diffWords } from './words.ts'

/** A paragraph of a document, with its text before and after tracked changes. */
export interface DocumentParagraph {
  /** The text before the tracked changes; null for an inserted paragraph. */
  old: string | null
  /** The text after the tracked changes; null for a deleted paragraph. */
  now: string | null
  /** Whether the paragraph has the style of a heading. */
  isHeading: boolean
}

/** The paragraphs of a Word or PDF document. */
export interface DocumentText {
  paragraphs: readonly DocumentParagraph[]
  /** Whether the document has tracked changes. If so, a missing clause was not removed, because its removal would be tracked. */
  hasTrackedChanges: boolean
  /** Whether each paragraph is one printed line, as in a PDF. A line break may then stand for a space. */
  isWrapped: boolean
}

interface Section {
  clause: Clause | null
  heading: DocumentParagraph | null
  paragraphs: DocumentParagraph[]
}

/**
 * Converts a document to edits of clauses, which are found by their headings. Changed text outside of clauses is returned as `unplaced`.
 */
export function toClauseEdits(clauses: readonly Clause[], { paragraphs, hasTrackedChanges, isWrapped }: DocumentText) {
  const sections = splitSections(clauses, paragraphs)
  const found = sections.filter(({ clause }) => clause !== null)
  const edits = found.flatMap((section) => readSection(section, isWrapped) ?? [])
  const missing = clauses.filter((clause) => !found.some((section) => section.clause === clause))
  // A document that contains less than half of the clauses is an excerpt, so clauses that it lacks were not removed.
  const isWhole = !hasTrackedChanges && found.length * 2 >= clauses.length
  const removed = isWhole ? missing.map(({ key }): ClauseEdit => ({ key, remove: true })) : []
  const unplaced = sections
    .filter(({ clause }) => clause === null)
    .flatMap(({ heading, paragraphs: own }) => (heading ? [heading, ...own] : own))
    .filter((paragraph) => isUnplaced(paragraph, hasTrackedChanges))
    .map(({ old, now }) => ({
      change: now === null ? ('deleted' as const) : old === null ? ('inserted' as const) : ('changed' as const),
      text: (now ?? old)!,
    }))
  return { edits: [...edits, ...removed], unplaced }
}

/**
 * Whether a paragraph outside of clauses was changed. Without tracked changes, only headings count, because other text may be unchanged.
 */
const isUnplaced = ({ old, now, isHeading }: DocumentParagraph, tracked: boolean) =>
  (now ?? old ?? '').trim() !== '' && (tracked ? old !== now : isHeading)

function splitSections(clauses: readonly Clause[], paragraphs: readonly DocumentParagraph[]): Section[] {
  const byTitle = new Map(clauses.map((clause) => [normalizeClauseTitle(clause.title), clause]))
  const sections: Section[] = [{ clause: null, heading: null, paragraphs: [] }]
  const taken = new Set<Clause>()
  for (const paragraph of paragraphs) {
    const text = paragraph.old ?? paragraph.now ?? ''
    const clause = text.length <= 200 ? byTitle.get(normalizeClauseTitle(text)) : undefined
    if (clause && !taken.has(clause)) {
      taken.add(clause)
      sections.push({ clause, heading: paragraph, paragraphs: [] })
    } else if (paragraph.isHeading) sections.push({ clause: null, heading: paragraph, paragraphs: [] })
    else sections.at(-1)!.paragraphs.push(paragraph)
  }
  return sections
}

/** Compares a clause in the supplier's document with the current clause. Returns the supplier's changes; null if there are none. */
function readSection({ clause, heading, paragraphs }: Section, isWrapped: boolean): ClauseEdit | null {
  const { key, title } = clause!
  const old = normalizeTypography(fillClauseVariables(clause!))
  const written = normalizeTypography(paragraphs.flatMap((paragraph) => paragraph.now ?? []).join('\n'))
  const now = isWrapped ? unwrap(old, written) : written
  if (now === '') return old === '' && heading!.now !== null ? null : { key, remove: true }
  const newTitle = readTitle(heading!, title)
  if (now === old && newTitle === title) return null
  return { key, ...(newTitle === title ? {} : { title: newTitle }), ...(now === old ? {} : { body: keepWriting(now) }) }
}

/** Reads the title of a clause from a changed heading, without its number. */
function readTitle({ old, now }: DocumentParagraph, title: string): string {
  if (now === null || old === null || normalizeTypography(old) === normalizeTypography(now)) return title
  return (
    normalizeTypography(now)
      .replace(/^\d+(\.\d+)*[.)]?\s+/, '')
      .slice(0, 200) || title
  )
}

/** Normalizes quotes, spaces and hyphens, which word processors replace. */
export const normalizeTypography = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll('\r', '')
    .replaceAll(/[\u00a0\u202f\u2007]/g, ' ')
    .replaceAll(/[\u00ad\u200b-\u200d\ufeff]/g, '')
    .replaceAll(/[‘’ʼ]/g, '’')
    .replaceAll("'", '’')
    .replaceAll(/[“”]/g, '"')
    .split('\n')
    .map((line) => line.replaceAll(/[ \t]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')

/** Puts the line breaks of the old text back into the new text where both have the same words. */
function unwrap(old: string, written: string): string {
  let at = 0
  let text = ''
  for (const hunk of diffWords(old.replaceAll('\n', ' '), written.replaceAll('\n', ' '))) {
    if (hunk.op === 'equal') text += old.slice(at, at + hunk.text.length)
    if (hunk.op === 'insert') text += hunk.text
    if (hunk.op !== 'insert') at += hunk.text.length
  }
  return text
}

/** Separates double braces in the supplier's text, so that they are not parsed as a variable. */
const keepWriting = (now: string): string => now.replaceAll('{{', '{ {')
