import { bytesOf } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { nearest } from '../../kernel/nearest.ts'
import { inTurns } from '../../kernel/turns.ts'
import { parseJson } from '../configuration/operations.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import { type ReviewedFlow, reviewInParts } from '../configuration/review/review.ts'
import { readPerson, seenBy } from '../configuration/review/sees.ts'
import { CHECKS, type Finding, type FindingLevel, FINDING_LEVELS, type Scene } from '../configuration/review/scene.ts'
import { connectionGives } from '../directories/gives.ts'
import { surroundingsOf } from '../directories/surroundings.ts'

interface Request {
  flowSlug?: string | undefined
  source: string
  levels?: readonly FindingLevel[] | undefined
  checks?: readonly string[] | undefined
  personJson?: string | undefined
}

/** A configuration with what its review looks at beside it. Nothing is sold out before there are orders, and nobody is on a list before there are lists. */
export async function sceneOf(ctx: EventContext, { document, config, facts }: Configuration): Promise<Scene> {
  return {
    document,
    config,
    facts,
    around: await surroundingsOf(ctx, document),
    gives: await connectionGives(ctx),
    soldOut: new Set(),
    inviteLists: false,
  }
}

/** Reads the flows as a careful colleague would, and says what to change. */
export async function reviewEvent(ctx: EventContext, { flowSlug, source, levels, checks, personJson }: Request) {
  if (personJson !== undefined && flowSlug === undefined)
    throw invalidArguments([{ path: 'flowSlug', message: 'is needed with personJson: the flow that the person takes' }])
  const configuration = await readConfig(ctx, source)
  if (flowSlug !== undefined) refuseUnknown(configuration, flowSlug)
  refuseUnknownChecks(checks ?? [])
  const wanted = ({ code, level }: { code: string; level: FindingLevel }) =>
    (!levels?.length || levels.includes(level)) && (!checks?.length || checks.includes(code))
  const scene = await sceneOf(ctx, configuration)
  const person = personJson === undefined ? null : readPerson(scene, await inTurns(parseJson(personJson, 'personJson')))
  const flows = (await inTurns(reviewInParts(scene, flowSlug))).map((flow) => ({
    ...flow,
    findings: flow.findings.filter(wanted),
  }))
  const findings = flows.flatMap((flow) => flow.findings)
  const counts = Object.fromEntries(FINDING_LEVELS.map((level) => [level, findings.filter((one) => one.level === level).length])) as Record<
    FindingLevel,
    number
  >
  const sees = person
    ? seenBy(
        scene,
        scene.config.flows.find(({ slug }) => slug === flowSlug)!,
        person,
      )
    : null
  return {
    ...readable(flows, sees === null ? 0 : bytesOf(sees)),
    counts,
    reviewedRevision: configuration.facts.draftRevision,
    ...(sees ? { sees } : {}),
  }
}

/** As much as assistants can take in. */
const MAX_BYTES = 72_000

/** What weighs most comes first when not everything fits; the counts tell of the rest. */
function readable(flows: ReviewedFlow[], taken: number): { flows: ReviewedFlow[]; truncated?: true; note?: string } {
  let bytes = taken + bytesOf(flows.map(({ slug, stats }) => ({ slug, findings: [], stats })))
  const byWeight = flows
    .flatMap(({ findings }) => findings)
    .toSorted((a, b) => FINDING_LEVELS.indexOf(a.level) - FINDING_LEVELS.indexOf(b.level))
  const kept = new Set<Finding>()
  for (const finding of byWeight) {
    bytes += bytesOf(finding) + 1
    if (bytes > MAX_BYTES) break
    kept.add(finding)
  }
  if (kept.size === byWeight.length) return { flows }
  const shown = flows.map((flow) => ({ ...flow, findings: flow.findings.filter((finding) => kept.has(finding)) }))
  return {
    flows: shown,
    truncated: true,
    note: `Shows ${kept.size} of ${byWeight.length} findings, errors first: name a flowSlug, levels or checks for the others.`,
  }
}

function refuseUnknownChecks(checks: readonly string[]): void {
  const unknown = checks.find((check) => !(CHECKS as readonly string[]).includes(check))
  if (unknown !== undefined)
    throw invalidArguments([{ path: 'checks', message: `no check ${JSON.stringify(unknown)}; they are F01 to F36` }])
}

function refuseUnknown({ config }: Configuration, slug: string): void {
  const slugs = config.flows.map((flow) => flow.slug)
  if (slugs.includes(slug)) return
  const near = nearest(slug, slugs)
  const known = slugs.length === 0 ? 'there are no flows yet' : `there are ${slugs.join(', ')}`
  throw notFound(`No flow ${slug}${near ? ` — did you mean ${near}?` : ''}; ${known}`, {
    fields: [{ path: 'flowSlug', message: 'is no flow of this configuration', ...(slugs.length > 0 ? { allowed: slugs } : {}) }],
  })
}
