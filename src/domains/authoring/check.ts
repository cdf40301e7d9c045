import { bytesOf } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { giveWay, inTurns } from '../../kernel/turns.ts'
import { countIssues, isBlocking, type Issue, type IssueLevel, sortIssues } from '../configuration/issues.ts'
import { creatable, endFor, parseJson, put } from '../configuration/operations.ts'
import { follow, isRecord, isUnder, lookingInto, parsePointer, pointerOf } from '../configuration/pointers.ts'
import { readableSchemaOf, schemaOf } from '../configuration/place-schemas.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import type { ConfigNode } from '../configuration/schema/nodes.ts'
import { storedDocument } from '../configuration/stored.ts'
import { checkInParts, checkPart } from '../configuration/structure.ts'
import { withSources } from '../configuration/texts.ts'
import { spelledOut } from '../configuration/walk.ts'
import { fitting } from './told.ts'
import { publishIssues } from './validate.ts'

interface Request {
  source: string
  path?: string | undefined
  candidateJson?: string | undefined
  levels?: readonly IssueLevel[] | undefined
  withSchema: boolean
}

/** All that is wrong with a configuration, or would be if a value stood at a place. Nothing is saved. */
export async function validateSchema(ctx: EventContext, { source, path, candidateJson, levels, withSchema }: Request) {
  if (candidateJson !== undefined && path === undefined) {
    throw invalidArguments([{ path: 'path', message: 'is needed with candidateJson: where the value would stand' }])
  }
  const saved = await readConfig(ctx, source)
  const {
    issues: found,
    document,
    under,
  } = candidateJson === undefined
    ? { issues: await publishIssues(ctx, saved), document: saved.document, under: path === undefined ? '' : pathIn(saved.document, path) }
    : await withCandidate(ctx, saved, { source, path: path! }, await inTurns(parseJson(candidateJson, 'candidateJson')))
  const issues = found.filter((issue) => isUnder(issue.path, under) && (!levels || levels.includes(issue.level)))
  const blocking = found.filter((issue) => isUnder(issue.path, under)).some(isBlocking)
  const { schema, note } = withSchema ? schemaAt(document, under) : { schema: undefined, note: null }
  const shown = fitting({ issues }, 'pass a path or levels', schema === undefined ? 0 : bytesOf(schema))
  const notes = [shown.note, note].filter((one) => typeof one === 'string')
  return {
    valid: !blocking,
    publishable: saved.facts.status !== 'archived' && !found.some(isBlocking),
    counts: countIssues(issues),
    ...shown,
    ...(schema === undefined ? {} : { schema }),
    ...(notes.length === 0 ? {} : { truncated: true as const, note: notes.join('. ') }),
    checkedRevision: saved.facts.draftRevision,
  }
}

interface Tried {
  issues: Issue[]
  document: ConfigDocument
  /** Where the candidate stands, as pointers are written. */
  under: string
}

/** All that would be wrong if the value were set at the place, or inserted where a keyed list has no such item yet. */
async function withCandidate(
  ctx: EventContext,
  saved: Configuration,
  { source, path }: { source: string; path: string },
  raw: unknown,
): Promise<Tried> {
  const spot = lookingInto(source, () => spotOf(saved.document, path))
  const refused = (issues: Issue[]): Tried => ({ issues: sortIssues(issues), document: saved.document, under: spot.path })
  const value = withKey(spot, raw)
  if ('issue' in value) return refused([value.issue])
  // By itself first: in a document a broken item has no key to be found under.
  const part =
    value.given === undefined ? { ok: true as const, value: undefined } : await inTurns(checkPart(spot.node, spot.path, value.given))
  if (!part.ok) return refused(part.issues)
  await giveWay()
  const document = withSources(storedDocument(spot.write(part.value)))
  const whole = await inTurns(checkInParts(document))
  if (!whole.ok) return { issues: sortIssues(whole.issues), document, under: spot.path }
  return { issues: await publishIssues(ctx, { ...saved, document, config: whole.value, sha256: null }), document, under: spot.path }
}

interface Spot {
  node: ConfigNode
  path: string
  /** Of an item that goes by one: the name of its key, and what it is. */
  key: readonly [name: string, value: string] | null
  write: (value: unknown) => ConfigDocument
}

function spotOf(document: ConfigDocument, path: string): Spot {
  const segments = parsePointer(path)
  const { place, left } = follow(document, segments)
  const last = segments.at(-1) ?? ''
  if (left.length === 0) {
    const around = follow(document, segments.slice(0, -1)).place.node
    const inList = segments.length > 0 && around.kind === 'list'
    return {
      node: inList ? around.item : place.node,
      path: place.path,
      key: inList && around.key !== null ? [around.key, last] : null,
      write: (value) => put(document, parsePointer(place.path), value),
    }
  }
  const list = place.node
  if (list.kind === 'list' && list.key !== null && left.length === 1) {
    const items = Array.isArray(place.value) ? (place.value as unknown[]) : []
    return {
      node: list.item,
      path: place.path + pointerOf([last]),
      key: [list.key, last],
      write: (value) => put(document, parsePointer(place.path), items.toSpliced(endFor(list, items, value), 0, value)),
    }
  }
  const made = creatable(place, left, 'path')
  const target = [...parsePointer(place.path), ...made.left]
  const length = Array.isArray(place.value) ? place.value.length : 0
  return {
    node: made.node,
    path: pointerOf(target.map((segment) => (segment === '-' ? String(length) : segment))),
    key: null,
    write: (value) => put(document, target, value),
  }
}

/** As config_set takes it: an item may leave its key out and not say another one, and null empties whatever is no item. */
function withKey({ key, path, node }: Spot, raw: unknown): { given: unknown } | { issue: Issue } {
  const issue = (code: string, where: string, message: string) => ({ issue: { level: 'structure' as const, code, path: where, message } })
  if (raw === null) {
    return key ? issue('wrongType', path, 'an item must be an object; config_set takes it out with op remove') : { given: undefined }
  }
  const value = spelledOut(node, raw)
  if (!key || !isRecord(value)) return { given: value }
  const [name, own] = key
  if (value[name] !== undefined && value[name] !== own) {
    return issue('rule', `${path}/${name}`, `${JSON.stringify(value[name])} differs from the path; config_set changes a key with op rename`)
  }
  return { given: { ...value, [name]: own } }
}

const pathIn = (document: ConfigDocument, path: string) => {
  const { place, left } = follow(document, parsePointer(path), { byIndex: true })
  return place.path + pointerOf(left)
}

/** More than this nobody reads to check one thing. */
const MAX_SCHEMA_BYTES = 12_000

/** The schema of a place; of one that holds too much, less deep. */
function schemaAt(document: ConfigDocument, path: string): { schema: Record<string, unknown>; note: string | null } {
  const { node } = follow(document, parsePointer(path)).place
  const schema = schemaOf(node)
  if (bytesOf(schema) <= MAX_SCHEMA_BYTES) return { schema, note: null }
  return {
    schema: readableSchemaOf(node),
    note: 'The schema is too large to show whole, so it is not as deep as it goes: pass the path of a part to see the schema of that',
  }
}
