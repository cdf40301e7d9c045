import { z } from 'zod'
import { count, object, oneOf, text } from '../../kernel/args.ts'
import { bytesOf } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { giveWay, inTurns } from '../../kernel/turns.ts'
import { CHANGE_KINDS, type Change, diffDocuments } from './diff/diff.ts'
import { inText, shownJson, shownWords, summarize, type ToldChange, toldChange } from './diff/words.ts'
import { follow, locate, lookingInto, parsePointer } from './pointers.ts'
import { blankDocument, readConfig, readDraft } from './read.ts'
import type { ConfigDocument } from './schema/event-config.ts'
import { asVersion } from './versions.ts'

/** What a change does to people who registered already. */
const Impact = object({ participants: count(), orders: count().optional(), note: text() })
export type Impact = z.input<typeof Impact>

export const VersionChange = object({
  path: z.string(),
  kind: oneOf(CHANGE_KINDS),
  title: z.string(),
  beforeJson: z.string().optional(),
  afterJson: z.string().optional(),
  /** One of them is longer than shown. */
  cut: z.literal(true).optional(),
  wordDiff: z.string().optional(),
  from: z.string().nullable().optional(),
  to: z.string().nullable().optional(),
  impact: Impact.optional(),
})
type Shown = z.input<typeof VersionChange>

interface Request {
  from: string
  to: string
  path?: string | undefined
  format: 'structured' | 'text'
}

/** Who can say what changes do to records; by path. */
export type ImpactsOf = (ctx: EventContext, changes: readonly Change[]) => Promise<ReadonlyMap<string, Impact>>

/** A result that assistants can take in; text and list share it. */
const MAX_BYTES = 70_000

/** What is different in one version from another, or in the draft. */
export async function compareVersions(ctx: EventContext, { from, to, path, format }: Request, impactsOf?: ImpactsOf) {
  const [a, b] = [await readSide(ctx, from, 'from'), await readSide(ctx, to, 'to')]
  const under = path === undefined ? '' : lookingInto(b.selector, () => placeIn(a.document, b.document, path))
  const changes = await inTurns(diffDocuments(a.document, b.document, { under }))
  const impacts = impactsOf ? await impactsOf(ctx, changes) : new Map<string, Impact>()
  const text = format === 'text'
  const shown: Shown[] = []
  let bytes = 0
  for (const change of changes) {
    await giveWay()
    const entry = toVersionChange(change, impacts.get(change.path), text)
    bytes += bytesOf(entry) + (text ? bytesOf(inText([change])) : 0) + 1
    if (bytes > MAX_BYTES) break
    shown.push(entry)
  }
  const cut = changes.length - shown.length
  const notes = [...new Set([a.note, b.note, cut > 0 ? cutNote(shown.length, changes) : null])].filter((note) => note !== null)
  return {
    from: a.selector,
    to: b.selector,
    changes: shown,
    summary: summarize(changes),
    ...(text ? { text: inText(changes.slice(0, shown.length)) || 'No differences.' } : {}),
    ...(cut > 0 ? { truncated: true as const } : {}),
    ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
  }
}

interface Telling {
  from: string
  to: string
  /** So many are told; all are counted. */
  most: number
}

/** The same for people who read it on a page. */
export async function tellDifferences(ctx: EventContext, { from, to, most }: Telling, impactsOf?: ImpactsOf) {
  const [a, b] = [await readSide(ctx, from, 'from'), await readSide(ctx, to, 'to')]
  const changes = await inTurns(diffDocuments(a.document, b.document))
  const first = changes.slice(0, most)
  const impacts = impactsOf ? await impactsOf(ctx, first) : new Map<string, Impact>()
  const told: (ToldChange & { impact?: Impact })[] = []
  for (const change of first) {
    await giveWay()
    const impact = impacts.get(change.path)
    told.push({ ...toldChange(change), ...(impact ? { impact } : {}) })
  }
  return { from: a.selector, to: b.selector, total: changes.length, changes: told }
}

interface Side {
  document: ConfigDocument
  /** As it can be asked for again, whatever is published meanwhile. */
  selector: string
  note: string | null
}

async function readSide(ctx: EventContext, selector: string, argument: string): Promise<Side> {
  if (selector === 'live') {
    const { facts } = await readDraft(ctx)
    if (facts.publishedVersion === null) {
      return { document: blankDocument(facts), selector, note: 'Nothing is published yet: live stands for a blank configuration.' }
    }
  }
  const { version, ...config } = await readConfig(ctx, selector, argument)
  return { document: (await asVersion(config)).document, selector: version === null ? 'draft' : String(version), note: null }
}

/** The pointer as both documents write it: what is in neither is refused. */
function placeIn(a: ConfigDocument, b: ConfigDocument, path: string): string {
  const before = follow(a, parsePointer(path))
  return before.left.length === 0 && follow(b, parsePointer(path)).left.length > 0
    ? before.place.path
    : locate(b, path, { byIndex: true }).path
}

function toVersionChange(change: Change, impact: Impact | undefined, brief: boolean): Shown {
  const { path, kind, title, before, after, from, to } = change
  const place = {
    path,
    kind,
    title,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(impact ? { impact } : {}),
  }
  if (brief) return place
  const [was, is] = [before, after].map((value) => (value === undefined ? null : shownJson(value)))
  const words = shownWords(change)
  return {
    ...place,
    ...(was ? { beforeJson: was.json } : {}),
    ...(is ? { afterJson: is.json } : {}),
    ...(was?.cut || is?.cut ? { cut: true as const } : {}),
    ...(words === null ? {} : { wordDiff: words }),
  }
}

function cutNote(shown: number, changes: readonly Change[]): string {
  const { bySection } = summarize(changes)
  const [largest] = Object.entries(bySection).toSorted(([, x], [, y]) => sum(y) - sum(x))
  return `Only the first ${shown} of ${changes.length} changes are shown: pass path to see a part, such as /${largest![0]} or one item of it.`
}

const sum = (counts: Record<string, number>) => Object.values(counts).reduce((total, one) => total + one, 0)
