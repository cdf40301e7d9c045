import { sql } from 'kysely'
import { formatInstant, toWallTimeInZone } from '../../kernel/time.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { readLiveOrTestConfiguration } from '../exhibitors/context.ts'
import { listBoothNumbers, formatBoothNumbers } from '../exhibitors/company-facts.ts'
import { getEarliestBookableStart, findFirstFreeSlots } from '../exhibitors/free-slots.ts'
import { listSoldOrderLines, sumQuantitiesByProduct } from '../registration/sale/holdings.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/participant-rows.ts'
import type { RegistrationContext } from '../registration/event-snapshot.ts'
import { hasDeclinedToShareField } from '../configuration/sharing.ts'
import {
  computeCategoryMatch,
  computeCategoryWeight,
  computeCompanyScoreParts,
  computeCompanyScore,
  type CompanySimilarities,
} from './company-scores.ts'
import { type CompanyWithTextVector, readCompanyTextIndex } from './company-texts.ts'
import { listEnrolledSessions } from '../sessions/enrolments.ts'
import { listSelectedChoices, toInterestKey, listAttendedSessions } from './facts.ts'
import { computePopularity } from './popularity.ts'
import { rankRecommendations } from './scores.ts'
import { listTerms } from './text/tokens.ts'
import { countTerms, listSharedTerms, toTfIdfVector } from './vectors.ts'

interface CompanyRequest {
  limit: number
  category?: string | undefined
  excludeMet: boolean
}

interface CompanyReason {
  kind: keyof CompanySimilarities | 'popularity'
  /** The category codes or the words that the participant and the company have in common. */
  codes: string[]
}

interface ScoredCompany {
  company: CompanyWithTextVector
  id: string
  name: string
  score: number
  reasons: CompanyReason[]
}

/** Recommends exhibitors by the participant's interests, the texts of both, and the companies that similar participants met. */
export async function recommendCompanies(ctx: RegistrationContext, participantId: string, { limit, category, excludeMet }: CompanyRequest) {
  const me = await getParticipant(ctx, participantId)
  const { config, facts } = await readLiveOrTestConfiguration(ctx, me.is_test_data)
  const { companies, corpus } = await readCompanyTextIndex(ctx, me.is_test_data, config, facts.locale)
  const tree = createCategoryTree(config, companies)
  const met = excludeMet ? await listMetCompanies(ctx, me.id) : new Set<string>()
  const chosen = companies.filter(
    ({ id, categories }) =>
      !met.has(id) && (category === undefined || categories.some((code) => code === category || tree.parentOf(code) === category)),
  )
  const mine = await readOwnFacts(ctx, config, facts.locale, me)
  const peers = await createPeerShare(ctx, config, mine.interests, me, tree.weightOf)
  const vector = toTfIdfVector(countTerms(mine.terms), corpus)
  const suggested =
    mine.basedOn.length === 0
      ? await scoreByPopularity(ctx, chosen)
      : chosen.map((company): ScoredCompany => {
          const shared = listSharedTerms(vector, company.vector)
          const terms: CompanySimilarities = {
            categories: computeCategoryMatch(mine.interests, company.categories, tree),
            text:
              vector.size === 0
                ? null
                : Math.min(
                    1,
                    shared.reduce((sum, { share }) => sum + share, 0),
                  ),
            peers: peers(company.id),
          }
          const codes: Record<keyof CompanySimilarities, string[]> = {
            categories: company.categories.filter((code) => mine.interests.includes(code)),
            text: shared.slice(0, 3).map(({ term }) => company.wordFor(term)),
            peers: [],
          }
          const reasons = computeCompanyScoreParts(terms)
            .filter(({ points }) => points > 0)
            .toSorted((a, b) => b.points - a.points)
            .map(({ kind }) => ({ kind, codes: codes[kind] }))
          return { company, id: company.id, name: company.name, score: computeCompanyScore(terms), reasons }
        })
  const best = rankRecommendations(suggested, limit)
  const ids = best.map(({ id }) => id)
  const [booths, slots] = [
    await listBoothNumbers(ctx, ids),
    await findFirstFreeSlots(ctx, ids, getEarliestBookableStart(facts.now, config.exhibitorConfig)),
  ]
  const basedOn =
    mine.basedOn.length === 0
      ? ['popularity']
      : [...mine.basedOn, ...(best.some(({ reasons }) => reasons.some(({ kind }) => kind === 'peers')) ? ['peers'] : [])]
  return {
    companies: best.map(({ company: { id, name, categories }, score, reasons }) => {
      const [booth, slot] = [formatBoothNumbers(booths, id), slots.get(id)]
      return {
        companyId: id,
        name,
        ...(booth === '' ? {} : { boothNumber: booth }),
        categories,
        score,
        reasons,
        ...(slot
          ? {
              nextSlot: {
                slotId: slot.slotId,
                startsAt: formatInstant(slot.startsAt),
                localStart: toWallTimeInZone(ctx.event.timezone, slot.startsAt).slice(0, 16),
              },
            }
          : {}),
      }
    }),
    basedOn,
  }
}

function createCategoryTree({ exhibitorConfig }: EventConfig, companies: readonly CompanyWithTextVector[]) {
  const parents = new Map(exhibitorConfig.categories.map(({ code, parent }) => [code, parent]))
  const having = countTerms(companies.flatMap(({ categories }) => categories))
  return {
    weightOf: (code: string) => computeCategoryWeight(companies.length, having.get(code) ?? 0),
    parentOf: (code: string) => parents.get(code) ?? null,
  }
}

/** Reads the facts about a participant, without sensitive or restricted answers, and the kinds of facts that were found. */
async function readOwnFacts(ctx: RegistrationContext, config: EventConfig, locale: string, me: ParticipantRow) {
  const { interestField } = config.exhibitorConfig
  const taken = listSelectedChoices(config, me)
  const interests = taken.filter(({ field }) => field === interestField).map(({ choice }) => choice)
  const own = (field: string, value: string | null) => (value && !hasDeclinedToShareField(me.sharing, field) ? [value] : [])
  const held = sumQuantitiesByProduct(await listSoldOrderLines(ctx, [me.id])).keys()
  const sessions = listAttendedSessions(config, { held, heard: (await listEnrolledSessions(ctx, [me.id])).get(me.id) }).map(
    ({ title }) => title,
  )
  const written = config.customFields.flatMap(({ code, sensitive, responseType }) => {
    const answer = me.custom_field_responses[code]
    const text = responseType === 'text' || responseType === 'longText'
    return text && !sensitive && typeof answer === 'string' && !hasDeclinedToShareField(me.sharing, `cf:${code}`) ? [answer] : []
  })
  const texts: Record<string, string[]> = {
    jobTitle: own('jobTitle', me.job_title),
    company: own('company', me.company),
    bio: own('bio', me.bio),
    sessions,
    answers: [...taken.map(({ name }) => name), ...written],
  }
  const used = Object.entries(texts).filter(([, list]) => list.length > 0)
  return {
    interests,
    terms: used.flatMap(([, list]) => list).flatMap((text) => listTerms(text, locale)),
    basedOn: [...(interests.length > 0 ? ['interests'] : []), ...used.map(([kind]) => kind)],
  }
}

/** Lists the companies that have a lead or an appointment with this participant. */
async function listMetCompanies({ db, tenantId, event }: RegistrationContext, participantId: string): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select company_id as id from leads where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId} and status = 'active'
    union
    select company_id from appointments where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
      and company_id is not null and status in ('pending', 'booked')`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const MAX_PEERS = 50
/** The minimum number of similar participants who met a company: with fewer, a participant could guess who they are. */
const MIN_PEERS = 5

/** Returns a function that gives the share of the most similar participants who met a company; null if too few of them met it. */
async function createPeerShare(
  ctx: RegistrationContext,
  config: EventConfig,
  interests: readonly string[],
  me: ParticipantRow,
  weightOf: (code: string) => number,
) {
  const field = config.exhibitorConfig.interestField
  if (field === null || interests.length === 0) return () => null
  const keys = interests.map((code) => toInterestKey({ field, choice: code }))
  const { rows } = await sql<{ companyId: string; met: number; near: number }>`
    with near as (
      select r.participant_id as id from recommendation_profiles r cross join lateral (
        select sum(m.weight) as weight from unnest(${keys}::text[], ${interests.map(weightOf)}::float8[]) m(key, weight) where m.key = any(r.interests)) s
      where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.interests && ${keys}::text[] and r.participant_id <> ${me.id}
      order by s.weight desc, r.participant_id limit ${MAX_PEERS})
    select l.company_id as "companyId", count(*)::int as met, (select count(*)::int from near) as near from leads l
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.status = 'active' and not l.is_test_data
      and l.participant_id in (select id from near)
    group by l.company_id having count(*) >= ${MIN_PEERS}`.execute(ctx.db)
  const shares = new Map(rows.map(({ companyId, met, near }) => [companyId, met / near]))
  return (companyId: string) => shares.get(companyId) ?? null
}

/** Scores companies by their number of leads, for participants about whom no facts such as interests are known. */
async function scoreByPopularity(
  { db, tenantId, event }: RegistrationContext,
  companies: readonly CompanyWithTextVector[],
): Promise<ScoredCompany[]> {
  const { rows } = await sql<{ id: string; leads: number }>`
    select company_id as id, count(*)::int as leads from leads
    where tenant_id = ${tenantId} and event_id = ${event.id} and status = 'active' group by company_id`.execute(db)
  const leads = new Map(rows.map((row) => [row.id, row.leads]))
  const most = Math.max(0, ...companies.map(({ id }) => leads.get(id) ?? 0))
  return companies.map((company) => {
    const score = Math.round(100 * computePopularity(leads.get(company.id) ?? 0, most))
    return { company, id: company.id, name: company.name, score, reasons: score > 0 ? [{ kind: 'popularity', codes: [] }] : [] }
  })
}
