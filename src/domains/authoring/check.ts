import { z } from 'zod'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { countIssues, isBlocking, type Issue, type IssueLevel, sortIssues } from '../configuration/issues.ts'
import { parseJson, put } from '../configuration/operations.ts'
import { follow, isUnder, locate, parsePointer, pointerOf } from '../configuration/pointers.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { storedDocument } from '../configuration/stored.ts'
import { checkDocument } from '../configuration/structure.ts'
import { isRecord } from '../configuration/pointers.ts'
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
  const under = path === undefined ? '' : pathIn(document, path)
  const issues = found.filter((issue) => isUnder(issue.path, under) && (!levels || levels.includes(issue.level)))
  const blocking = found.filter((issue) => isUnder(issue.path, under)).some(isBlocking)
  return {
    valid: !blocking,
    publishable: saved.facts.status !== 'archived' && !found.some(isBlocking),
    counts: countIssues(issues),
    ...fitting({ issues }, 'pass a path or levels'),
    ...(withSchema ? { schema: schemaAt(document, under) } : {}),
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

const pathIn = (document: ConfigDocument, path: string) => {
  const { place, left } = follow(document, parsePointer(path))
  return place.path + pointerOf(left)
}

function schemaAt(document: ConfigDocument, path: string): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(follow(document, parsePointer(path)).place.node.type, {
    io: 'input',
    unrepresentable: 'any',
  })
  return schema
}
