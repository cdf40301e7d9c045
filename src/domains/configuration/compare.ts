import { z } from 'zod'
import { count, keepNullInResult, object, oneOf, text } from '../../kernel/args.ts'
import type { EventContext } from '../../kernel/context.ts'
import { yieldToEventLoop, runTaskCooperatively } from '../../kernel/cooperative.ts'
import { paginateBySize, verifyCursor } from '../../kernel/page.ts'
import { CHANGE_KINDS, type Change, diffDocuments } from './diff/diff.ts'
import {
  formatChanges,
  truncateJson,
  markChangedWords,
  summarizeChanges,
  type DescribedChange,
  toDescribedChange,
} from './diff/describe-changes.ts'
import { followPointer, getLocationAtPointer, addConfigSourceToErrorHint, parsePointer } from './pointers.ts'
import { createBlankConfigDocument, readConfigBySelector, readDraftConfiguration } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { toPublishedDocument } from './versions.ts'

/** The effect of a change on existing registrations. */
const ChangeImpact = object({ participants: count(), orders: count().optional(), note: text() })
export type ChangeImpact = z.input<typeof ChangeImpact>

export const VersionChange = object({
  path: z.string(),
  kind: oneOf(CHANGE_KINDS),
  title: z.string(),
  beforeJson: z.string().optional(),
  afterJson: z.string().optional(),
  /** Whether the value before or after the change was shortened in the result. */
  cut: z.literal(true).optional(),
  wordDiff: z.string().optional(),
  from: keepNullInResult(z.string().nullable()).optional(),
  to: keepNullInResult(z.string().nullable()).optional(),
  impact: ChangeImpact.optional(),
})
type ShownChange = z.input<typeof VersionChange>

interface Request {
  from: string
  to: string
  path?: string | undefined
  format: 'structured' | 'text'
  limit?: number | undefined
  cursor?: string | undefined
}

/** Counts the existing participants and orders that each configuration change affects, by the JSON Pointer of the changed location. */
export type ChangeImpactCounter = (ctx: EventContext, changes: readonly Change[]) => Promise<ReadonlyMap<string, ChangeImpact>>

/** Lists the differences between two configuration versions, or between a version and the draft. */
export async function compareConfigVersions(
  ctx: EventContext,
  { from, to, path, format, ...page }: Request,
  impactsOf?: ChangeImpactCounter,
) {
  verifyCursor(ctx, page)
  const [a, b] = [await readSide(ctx, from, 'from'), await readSide(ctx, to, 'to')]
  const under = path === undefined ? '' : addConfigSourceToErrorHint(b.selector, () => toCanonicalPath(a.document, b.document, path))
  const changes = await runTaskCooperatively(diffDocuments(a.document, b.document, { under }))
  const impacts = impactsOf ? await impactsOf(ctx, changes) : new Map<string, ChangeImpact>()
  const text = format === 'text'
  const { start, items, nextCursor, truncated } = await paginateBySize(ctx, page, {
    rows: changes,
    shape: (change) => [toVersionChange(change, impacts.get(change.path), text), text ? formatChanges([change]) : ''] as const,
    pin: [a, b].map(({ selector, revision }) => `${selector}.${revision}`).join(),
    moved: 'belongs to an earlier revision of the draft; leave it out to start from page one',
  })
  const end = start + items.length
  const cut = truncated ? cutNote(end, changes) : null
  const notes = [...new Set([a.note, b.note, cut])].filter((note) => note !== null)
  return {
    from: a.selector,
    to: b.selector,
    changes: items.map(([change]) => change),
    summary: summarizeChanges(changes),
    ...(text ? { text: formatChanges(changes.slice(start, end)) || 'No differences.' } : {}),
    nextCursor,
    ...(truncated ? { truncated } : {}),
    ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
  }
}

interface DescribeRequest {
  from: string
  to: string
  /** The maximum number of changes in one result. The result's `total` counts all changes. */
  most: number
}

/** Lists the differences between two configuration versions as sentences, for display on a console page. */
export async function describeDifferences(ctx: EventContext, { from, to, most }: DescribeRequest, impactsOf?: ChangeImpactCounter) {
  const [a, b] = [await readSide(ctx, from, 'from'), await readSide(ctx, to, 'to')]
  const changes = await runTaskCooperatively(diffDocuments(a.document, b.document))
  const first = changes.slice(0, most)
  const impacts = impactsOf ? await impactsOf(ctx, first) : new Map<string, ChangeImpact>()
  const described: (DescribedChange & { impact?: ChangeImpact })[] = []
  for (const change of first) {
    await yieldToEventLoop()
    const impact = impacts.get(change.path)
    described.push({ ...toDescribedChange(change), ...(impact ? { impact } : {}) })
  }
  return { from: a.selector, to: b.selector, total: changes.length, changes: described }
}

interface Side {
  document: ConfigDocument
  /**
   * A selector of the compared version that names the same document even after the next publish, such as its version number instead of
   * `live`.
   */
  selector: string
  revision: number
  note: string | null
}

async function readSide(ctx: EventContext, selector: string, argument: string): Promise<Side> {
  if (selector === 'live') {
    const { facts } = await readDraftConfiguration(ctx)
    if (facts.publishedVersion === null) {
      return {
        document: createBlankConfigDocument(facts),
        selector,
        revision: 0,
        note: 'Nothing is published yet, so live is compared as a blank configuration.',
      }
    }
  }
  const { version, ...config } = await readConfigBySelector(ctx, selector, argument)
  return {
    document: (await toPublishedDocument(config)).document,
    selector: version === null ? 'draft' : String(version),
    revision: version === null ? config.facts.draftRevision : 0,
    note: null,
  }
}

/** Converts the pointer of a configuration path to its canonical form. Throws if neither of the two compared documents has that path. */
function toCanonicalPath(a: ConfigDocument, b: ConfigDocument, path: string): string {
  const before = followPointer(a, parsePointer(path))
  return before.left.length === 0 && followPointer(b, parsePointer(path)).left.length > 0
    ? before.location.path
    : getLocationAtPointer(b, path, { byIndex: true }).path
}

function toVersionChange(change: Change, impact: ChangeImpact | undefined, brief: boolean): ShownChange {
  const { path, kind, title, before, after, from, to } = change
  const base = {
    path,
    kind,
    title,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(impact ? { impact } : {}),
  }
  if (brief) return base
  const [was, is] = [before, after].map((value) => (value === undefined ? null : truncateJson(value)))
  const words = markChangedWords(change)
  return {
    ...base,
    ...(was ? { beforeJson: was.json } : {}),
    ...(is ? { afterJson: is.json } : {}),
    ...(was?.cut || is?.cut ? { cut: true as const } : {}),
    ...(words === null ? {} : { wordDiff: words }),
  }
}

function cutNote(shown: number, changes: readonly Change[]): string {
  const { bySection } = summarizeChanges(changes)
  const [largest] = Object.entries(bySection).toSorted(([, x], [, y]) => sum(y) - sum(x))
  return `Shown up to change ${shown} of ${changes.length}. Pass nextCursor as cursor for the rest, or path for a part, such as /${largest![0]}.`
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, one) => total + one, 0)
