import { z } from 'zod'
import { bytesOf } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { countIssues, isBlocking, type Issue, type IssueLevel, sortIssues } from '../configuration/issues.ts'
import { parseJson, put } from '../configuration/operations.ts'
import { follow, isRecord, isUnder, locate, parsePointer, pointerOf, type Reading } from '../configuration/pointers.ts'
import { schemaJsonOf } from '../configuration/place-schemas.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { storedDocument } from '../configuration/stored.ts'
import { checkDocument } from '../configuration/structure.ts'
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
  const { issues: found, document } =
    candidateJson === undefined
      ? { issues: await publishIssues(ctx, saved), document: saved.document }
      : await withCandidate(ctx, saved, path!, parseJson(candidateJson, 'candidateJson'))
  // A candidate stands at the key that is written, be it a number.
  const under = path === undefined ? '' : pathIn(document, path, { byIndex: candidateJson === undefined })
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

async function withCandidate(
  ctx: EventContext,
  saved: Configuration,
  path: string,
  value: unknown,
): Promise<{ issues: Issue[]; document: ConfigDocument }> {
  const document = standing(saved.document, path, value)
  const result = checkDocument(document)
  if (!result.ok) return { issues: sortIssues(result.issues), document }
  return {
    issues: await publishIssues(ctx, { ...saved, document: storedDocument(document), config: result.value, sha256: null }),
    document,
  }
}

/** The document as if the value were set at the place, or inserted where a keyed list has no such item yet. */
function standing(document: ConfigDocument, path: string, value: unknown): ConfigDocument {
  const { place, left } = follow(document, parsePointer(path))
  if (left.length === 0) return put(document, parsePointer(place.path), value)
  const [segment, ...deeper] = left as [string, ...string[]]
  if (place.node.kind !== 'list' || deeper.length > 0) {
    // Optional objects on the way are made; what the schema does not know is refused with what it could have meant.
    if (place.node.kind !== 'object' || !place.node.fields.has(segment)) locate(document, path)
    return put(document, [...parsePointer(place.path), ...left], value)
  }
  const { key } = place.node
  const item = key !== null && isRecord(value) ? { [key]: segment, ...value } : value
  return put(document, parsePointer(place.path), [...((place.value as unknown[] | undefined) ?? []), item])
}

const pathIn = (document: ConfigDocument, path: string, reading: Reading) => {
  const { place, left } = follow(document, parsePointer(path), reading)
  return place.path + pointerOf(left)
}

/** Leaves room for issues beside it. */
const MAX_SCHEMA_BYTES = 40_000

/** The schema of a place; of one that holds too much, less deep. */
function schemaAt(document: ConfigDocument, path: string): { schema: Record<string, unknown>; note: string | null } {
  const { node } = follow(document, parsePointer(path)).place
  const { $schema: _, ...schema } = z.toJSONSchema(node.type, { io: 'input', unrepresentable: 'any' })
  if (bytesOf(schema) <= MAX_SCHEMA_BYTES) return { schema, note: null }
  return {
    schema: JSON.parse(schemaJsonOf(node)) as Record<string, unknown>,
    note: 'The schema is too large to show whole, so it is not as deep as it goes: pass the path of a part to see the schema of that',
  }
}
