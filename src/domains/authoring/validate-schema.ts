import { jsonByteLength } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { yieldToEventLoop, runTaskCooperatively } from '../../kernel/cooperative.ts'
import { paginateBySize, verifyCursor } from '../../kernel/page.ts'
import { countIssues, isPublishBlockingIssue, type ConfigIssue, type IssueLevel, sortIssues } from '../configuration/issues.ts'
import { findOrCreateConfigLocation, getInsertIndex, parseJson, replaceAtPath } from '../configuration/operations.ts'
import { followPointer, isJsonObject, isPathUnder, addConfigSourceToErrorHint, parsePointer, toPointer } from '../configuration/pointers.ts'
import { buildPrunedJsonSchema, buildCompleteJsonSchema } from '../configuration/json-schemas.ts'
import { type Configuration, readConfigBySelector } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import type { ConfigNode } from '../configuration/schema/nodes.ts'
import { toStoredDocument } from '../configuration/stored.ts'
import { checkInParts, checkValueInParts } from '../configuration/structure.ts'
import { addTranslationSourceHashes } from '../configuration/texts.ts'
import { expandShorthand } from '../configuration/walk.ts'
import { listPublishIssues } from './issues.ts'

interface Request {
  source: string
  path?: string | undefined
  candidateJson?: string | undefined
  levels?: readonly IssueLevel[] | undefined
  withSchema: boolean
  limit?: number | undefined
  cursor?: string | undefined
}

/** Lists the issues of a configuration, or those it would have with a candidate value. Saves nothing. */
export async function validateConfigDocument(ctx: EventContext, { source, path, candidateJson, levels, withSchema, ...page }: Request) {
  verifyCursor(ctx, page)
  if (candidateJson !== undefined && path === undefined) {
    throw invalidArguments([{ path: 'path', message: 'is required with candidateJson: the path for the value' }])
  }
  const saved = await readConfigBySelector(ctx, source)
  const {
    issues: found,
    document,
    under,
  } = candidateJson === undefined
    ? {
        issues: await listPublishIssues(ctx, saved),
        document: saved.document,
        under: path === undefined ? '' : pathIn(saved.document, path),
      }
    : await withCandidate(ctx, saved, { source, path: path! }, await runTaskCooperatively(parseJson(candidateJson, 'candidateJson')))
  const issues = found.filter((issue) => isPathUnder(issue.path, under) && (!levels || levels.includes(issue.level)))
  const blocking = found.filter((issue) => isPathUnder(issue.path, under)).some(isPublishBlockingIssue)
  const { schema, note } = withSchema ? schemaAt(document, under) : { schema: undefined, note: null }
  const { start, items, nextCursor, truncated } = await paginateBySize(ctx, page, {
    rows: issues,
    shape: (issue) => issue,
    pin: `${saved.facts.draftRevision}.${issues.length}`,
    moved: 'belongs to earlier issues of the draft; leave it out to start from page one',
  })
  const cut = `Shown up to issue ${start + items.length} of ${issues.length}: pass nextCursor as cursor for the rest, or a path or levels`
  const notes = [truncated ? cut : null, note].filter((one) => one !== null)
  return {
    valid: !blocking,
    publishable: saved.facts.status !== 'archived' && !found.some(isPublishBlockingIssue),
    counts: countIssues(issues),
    issues: items,
    nextCursor,
    ...(schema === undefined ? {} : { schema }),
    ...(notes.length === 0 ? {} : { truncated: true as const, note: notes.join('. ') }),
    checkedRevision: saved.facts.draftRevision,
  }
}

interface CandidateCheck {
  issues: ConfigIssue[]
  document: ConfigDocument
  /** Canonical path at which the candidate value would be set. */
  under: string
}

/**
 * Finds the issues that the document would have with the candidate value set at the path, or inserted if a keyed list has no such item
 * yet.
 */
async function withCandidate(
  ctx: EventContext,
  saved: Configuration,
  { source, path }: { source: string; path: string },
  raw: unknown,
): Promise<CandidateCheck> {
  const candidate = addConfigSourceToErrorHint(source, () => findCandidateLocation(saved.document, path))
  const refused = (issues: ConfigIssue[]): CandidateCheck => ({
    issues: sortIssues(issues),
    document: saved.document,
    under: candidate.path,
  })
  const value = withKey(candidate, raw)
  if ('issue' in value) return refused([value.issue])
  // The candidate value is checked on its own first: within the document, an error in a list item without a key would have no path.
  const part =
    value.given === undefined
      ? { ok: true as const, value: undefined }
      : await runTaskCooperatively(checkValueInParts(candidate.node, candidate.path, value.given))
  if (!part.ok) return refused(part.issues)
  await yieldToEventLoop()
  const document = addTranslationSourceHashes(toStoredDocument(candidate.write(part.value)))
  const whole = await runTaskCooperatively(checkInParts(document))
  if (!whole.ok) return { issues: sortIssues(whole.issues), document, under: candidate.path }
  return {
    issues: await listPublishIssues(ctx, { ...saved, document, config: whole.value, sha256: null }),
    document,
    under: candidate.path,
  }
}

interface CandidateLocation {
  node: ConfigNode
  path: string
  /** The name and the value of the key, if the path leads to an item of a list whose items have keys. */
  key: readonly [name: string, value: string] | null
  write: (value: unknown) => ConfigDocument
}

function findCandidateLocation(document: ConfigDocument, path: string): CandidateLocation {
  const segments = parsePointer(path)
  const { location, left } = followPointer(document, segments)
  const last = segments.at(-1) ?? ''
  if (left.length === 0) {
    const around = followPointer(document, segments.slice(0, -1)).location.node
    const inList = segments.length > 0 && around.kind === 'list'
    return {
      node: inList ? around.item : location.node,
      path: location.path,
      key: inList && around.key !== null ? [around.key, last] : null,
      write: (value) => replaceAtPath(document, parsePointer(location.path), value),
    }
  }
  const list = location.node
  if (list.kind === 'list' && list.key !== null && left.length === 1) {
    const items = Array.isArray(location.value) ? (location.value as unknown[]) : []
    return {
      node: list.item,
      path: location.path + toPointer([last]),
      key: [list.key, last],
      write: (value) => replaceAtPath(document, parsePointer(location.path), items.toSpliced(getInsertIndex(list, items, value), 0, value)),
    }
  }
  const made = findOrCreateConfigLocation(location, left, 'path')
  const target = [...parsePointer(location.path), ...made.left]
  const length = Array.isArray(location.value) ? location.value.length : 0
  return {
    node: made.node,
    path: toPointer(target.map((segment) => (segment === '-' ? String(length) : segment))),
    key: null,
    write: (value) => replaceAtPath(document, target, value),
  }
}

/**
 * Applies the rules of config_set to the candidate value: an item may omit its key but not change it, and null clears any value that is not
 * an item.
 */
function withKey({ key, path, node }: CandidateLocation, raw: unknown): { given: unknown } | { issue: ConfigIssue } {
  const issue = (code: string, where: string, message: string) => ({ issue: { level: 'structure' as const, code, path: where, message } })
  if (raw === null) {
    return key ? issue('wrongType', path, 'an item must be an object; to delete it, use config_set with op remove') : { given: undefined }
  }
  const value = expandShorthand(node, raw)
  if (!key || !isJsonObject(value)) return { given: value }
  const [name, own] = key
  if (value[name] !== undefined && value[name] !== own) {
    return issue(
      'rule',
      `${path}/${name}`,
      `${JSON.stringify(value[name])} differs from the path; to change a key, use config_set with op rename`,
    )
  }
  return { given: { ...value, [name]: own } }
}

const pathIn = (document: ConfigDocument, path: string) => {
  const { location, left } = followPointer(document, parsePointer(path), { byIndex: true })
  return location.path + toPointer(left)
}

/** Maximum size of a JSON Schema. Larger ones are returned with fewer levels. */
const MAX_SCHEMA_BYTES = 12_000

/** Returns the JSON Schema of the configuration at a path, with fewer levels if the schema is too large. */
function schemaAt(document: ConfigDocument, path: string): { schema: Record<string, unknown>; note: string | null } {
  const { node } = followPointer(document, parsePointer(path)).location
  const schema = buildCompleteJsonSchema(node)
  if (jsonByteLength(schema) <= MAX_SCHEMA_BYTES) return { schema, note: null }
  return {
    schema: buildPrunedJsonSchema(node),
    note: 'The schema is too large to show completely: pass the path of a part to see its full schema',
  }
}
