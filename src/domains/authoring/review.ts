import { jsonByteLength, DEFAULT_MAX_LIST_BYTES, MAX_RESULT_LIST_BYTES } from '../../kernel/bytes.ts'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, notFound } from '../../kernel/errors.ts'
import { findMostSimilarName } from '../../kernel/nearest.ts'
import { runTaskCooperatively } from '../../kernel/cooperative.ts'
import { parseJson } from '../configuration/operations.ts'
import { type Configuration, readConfigBySelector } from '../configuration/read.ts'
import { type ReviewedFlow, reviewInParts } from '../configuration/review/review.ts'
import { parseParticipantDescription, previewFlow } from '../configuration/review/preview-flow.ts'
import {
  REVIEW_CHECK_CODES,
  type FlowFinding,
  type FindingLevel,
  FINDING_LEVELS,
  type ReviewContext,
} from '../configuration/review/context.ts'
import { readConnectionTagsAndFields } from '../directories/connection-outputs.ts'
import { readReferencedExternalRecords } from '../directories/external-references.ts'
import { readFlowSlugsWithInvites } from '../registration/invitations/invites.ts'

interface Request {
  flowSlug?: string | undefined
  source: string
  levels?: readonly FindingLevel[] | undefined
  checks?: readonly string[] | undefined
  personJson?: string | undefined
}

/** Loads the data that the review of a configuration's flows needs, except which products are sold out. */
export async function loadReviewContext(ctx: EventContext, { document, config, facts }: Configuration): Promise<ReviewContext> {
  return {
    document,
    config,
    facts,
    externalRecords: await readReferencedExternalRecords(ctx, document),
    directoryOutputs: await readConnectionTagsAndFields(ctx),
    soldOut: new Set(),
    inviteLists: config.flows.some(({ inviteOnly }) => inviteOnly) ? await readFlowSlugsWithInvites(ctx) : new Set(),
  }
}

/** Reviews the registration flows of an event and suggests changes. */
export async function reviewEvent(ctx: EventContext, { flowSlug, source, levels, checks, personJson }: Request) {
  if (personJson !== undefined && flowSlug === undefined)
    throw invalidArguments([{ path: 'flowSlug', message: 'is required with personJson: the flow that the participant uses' }])
  const configuration = await readConfigBySelector(ctx, source)
  if (flowSlug !== undefined) ensureFlowExists(configuration, flowSlug)
  ensureKnownChecks(checks ?? [])
  const wanted = ({ code, level }: { code: string; level: FindingLevel }) =>
    (!levels?.length || levels.includes(level)) && (!checks?.length || checks.includes(code))
  const context = await loadReviewContext(ctx, configuration)
  const person =
    personJson === undefined ? null : parseParticipantDescription(context, await runTaskCooperatively(parseJson(personJson, 'personJson')))
  const flows = (await runTaskCooperatively(reviewInParts(context, flowSlug))).map((flow) => ({
    ...flow,
    findings: flow.findings.filter(wanted),
  }))
  const findings = flows.flatMap((flow) => flow.findings)
  const counts = Object.fromEntries(FINDING_LEVELS.map((level) => [level, findings.filter((one) => one.level === level).length])) as Record<
    FindingLevel,
    number
  >
  const sees = person
    ? previewFlow(
        context,
        context.config.flows.find(({ slug }) => slug === flowSlug)!,
        person,
      )
    : null
  const isNarrowed = sees !== null || (flowSlug !== undefined && Boolean(levels?.length || checks?.length))
  const maxBytes = isNarrowed ? MAX_RESULT_LIST_BYTES - jsonByteLength(sees) : DEFAULT_MAX_LIST_BYTES
  return {
    ...truncateFindings(flows, maxBytes),
    counts,
    reviewedRevision: configuration.facts.draftRevision,
    ...(sees ? { sees } : {}),
  }
}

/** Truncates the findings of the flow review to the size limit. Errors are kept first, and the counts include the omitted findings. */
function truncateFindings(flows: ReviewedFlow[], maxBytes: number): { flows: ReviewedFlow[]; truncated?: true; note?: string } {
  let bytes = jsonByteLength(flows.map(({ slug, stats }) => ({ slug, findings: [], stats })))
  const byWeight = flows
    .flatMap(({ findings }) => findings)
    .toSorted((a, b) => FINDING_LEVELS.indexOf(a.level) - FINDING_LEVELS.indexOf(b.level))
  const kept = new Set<FlowFinding>()
  for (const finding of byWeight) {
    bytes += jsonByteLength(finding) + 1
    if (bytes > maxBytes) break
    kept.add(finding)
  }
  if (kept.size === byWeight.length) return { flows }
  const shown = flows.map((flow) => ({ ...flow, findings: flow.findings.filter((finding) => kept.has(finding)) }))
  return {
    flows: shown,
    truncated: true,
    note: `Shows ${kept.size} of ${byWeight.length} findings, errors first: name a flowSlug with levels or checks for the others.`,
  }
}

function ensureKnownChecks(checks: readonly string[]): void {
  const unknown = checks.find((check) => !(REVIEW_CHECK_CODES as readonly string[]).includes(check))
  if (unknown !== undefined)
    throw invalidArguments([{ path: 'checks', message: `no check ${JSON.stringify(unknown)}; valid checks are F01 to F36` }])
}

function ensureFlowExists({ config }: Configuration, slug: string): void {
  const slugs = config.flows.map((flow) => flow.slug)
  if (slugs.includes(slug)) return
  const near = findMostSimilarName(slug, slugs)
  const known = slugs.length === 0 ? 'the configuration has no flows yet' : `there are ${slugs.join(', ')}`
  throw notFound(`No flow ${slug}${near ? ` — did you mean ${near}?` : ''}; ${known}`, {
    fields: [{ path: 'flowSlug', message: 'is not a flow of this configuration', ...(slugs.length > 0 ? { allowed: slugs } : {}) }],
  })
}
