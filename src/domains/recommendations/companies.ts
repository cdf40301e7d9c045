import { sql } from 'kysely'
import { toInstant, wallTimeIn } from '../../kernel/time.ts'
import type { EventConfig } from '../configuration/schema/event-config.ts'
import { configurationOf } from '../exhibitors/at-event.ts'
import { boothNumbers, boothText } from '../exhibitors/company-facts.ts'
import { earliestStart, firstFree } from '../exhibitors/free-slots.ts'
import { holdingsOf, quantitiesOf } from '../registration/holdings.ts'
import type { ParticipantRow } from '../registration/participant-shape.ts'
import { getParticipant } from '../registration/people.ts'
import type { AtEvent } from '../registration/scene.ts'
import { isRestricted } from '../configuration/sharing.ts'
import { categoryMatch, categoryRarity, companyParts, companyScore, type CompanyTerms } from './company-scores.ts'
import { type ComparedCompany, companyTextsOf } from './company-texts.ts'
import { heardBy } from '../sessions/enrolments.ts'
import { choicesTaken, interestOf, sessionsPicked } from './facts.ts'
import { popularity } from './popularity.ts'
import { ranked } from './scores.ts'
import { termsOf } from './text/tokens.ts'
import { countTerms, sharedTerms, vectorOf } from './vectors.ts'

interface Request {
  limit: number
  category?: string | undefined
  excludeMet: boolean
}

interface Reason {
  kind: keyof CompanyTerms | 'popularity'
  /** Categories and words that say why. */
  codes: string[]
}

interface Suggested {
  company: ComparedCompany
  id: string
  name: string
  score: number
  reasons: Reason[]
}

/** Exhibitors that somebody may want to visit: by what they are interested in, by what they wrote, and by whom people like them met. */
export async function recommendCompanies(ctx: AtEvent, participantId: string, { limit, category, excludeMet }: Request) {
  const me = await getParticipant(ctx, participantId)
  const { config, facts } = await configurationOf(ctx, me.is_test_data)
  const { companies, corpus } = await companyTextsOf(ctx, me.is_test_data, config, facts.locale)
  const tree = categoriesOf(config, companies)
  const met = excludeMet ? await metBy(ctx, me.id) : new Set<string>()
  const chosen = companies.filter(
    ({ id, categories }) =>
      !met.has(id) && (category === undefined || categories.some((code) => code === category || tree.parentOf(code) === category)),
  )
  const mine = await ownFacts(ctx, config, facts.locale, me)
  const peers = await peersOf(ctx, config, mine.interests, me, tree.weightOf)
  const vector = vectorOf(countTerms(mine.terms), corpus)
  const suggested =
    mine.basedOn.length === 0
      ? await byPopularity(ctx, chosen)
      : chosen.map((company): Suggested => {
          const shared = sharedTerms(vector, company.vector)
          const terms: CompanyTerms = {
            categories: categoryMatch(mine.interests, company.categories, tree),
            text:
              vector.size === 0
                ? null
                : Math.min(
                    1,
                    shared.reduce((sum, { share }) => sum + share, 0),
                  ),
            peers: peers(company.id),
          }
          const codes: Record<keyof CompanyTerms, string[]> = {
            categories: company.categories.filter((code) => mine.interests.includes(code)),
            text: shared.slice(0, 3).map(({ term }) => company.wordFor(term)),
            peers: [],
          }
          const reasons = companyParts(terms)
            .filter(({ points }) => points > 0)
            .toSorted((a, b) => b.points - a.points)
            .map(({ kind }) => ({ kind, codes: codes[kind] }))
          return { company, id: company.id, name: company.name, score: companyScore(terms), reasons }
        })
  const best = ranked(suggested, limit)
  const ids = best.map(({ id }) => id)
  const [booths, slots] = [await boothNumbers(ctx, ids), await firstFree(ctx, ids, earliestStart(facts.now, config.exhibitorConfig))]
  const basedOn =
    mine.basedOn.length === 0
      ? ['popularity']
      : [...mine.basedOn, ...(best.some(({ reasons }) => reasons.some(({ kind }) => kind === 'peers')) ? ['peers'] : [])]
  return {
    companies: best.map(({ company: { id, name, categories }, score, reasons }) => {
      const [booth, slot] = [boothText(booths, id), slots.get(id)]
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
                startsAt: toInstant(slot.startsAt),
                localStart: wallTimeIn(ctx.event.timezone, slot.startsAt).slice(0, 16),
              },
            }
          : {}),
      }
    }),
    basedOn,
  }
}

function categoriesOf({ exhibitorConfig }: EventConfig, companies: readonly ComparedCompany[]) {
  const parents = new Map(exhibitorConfig.categories.map(({ code, parent }) => [code, parent]))
  const having = countTerms(companies.flatMap(({ categories }) => categories))
  return {
    weightOf: (code: string) => categoryRarity(companies.length, having.get(code) ?? 0),
    parentOf: (code: string) => parents.get(code) ?? null,
  }
}

/** What may be used of somebody, and of which kinds it is. Nothing sensitive, and nothing that they keep to themselves. */
async function ownFacts(ctx: AtEvent, config: EventConfig, locale: string, me: ParticipantRow) {
  const { interestField } = config.exhibitorConfig
  const taken = choicesTaken(config, me)
  const interests = taken.filter(({ field }) => field === interestField).map(({ choice }) => choice)
  const own = (field: string, value: string | null) => (value && !isRestricted(me.sharing, field) ? [value] : [])
  const held = quantitiesOf(await holdingsOf(ctx, [me.id])).keys()
  const sessions = sessionsPicked(config, { held, heard: (await heardBy(ctx, [me.id])).get(me.id) }).map(({ title }) => title)
  const written = config.customFields.flatMap(({ code, sensitive, responseType }) => {
    const answer = me.custom_field_responses[code]
    const text = responseType === 'text' || responseType === 'longText'
    return text && !sensitive && typeof answer === 'string' && !isRestricted(me.sharing, `cf:${code}`) ? [answer] : []
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
    terms: used.flatMap(([, list]) => list).flatMap((text) => termsOf(text, locale)),
    basedOn: [...(interests.length > 0 ? ['interests'] : []), ...used.map(([kind]) => kind)],
  }
}

/** Companies that know this person already, or are about to. */
async function metBy({ db, tenantId, event }: AtEvent, participantId: string): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select company_id as id from leads where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId} and status = 'active'
    union
    select company_id from appointments where tenant_id = ${tenantId} and event_id = ${event.id} and participant_id = ${participantId}
      and company_id is not null and status in ('pending', 'booked')`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

const NEAREST = 50
/** Of fewer it could be guessed who they are. */
const FEWEST_PEERS = 5

/** Of the people nearest in interests, the share that a company met; null where those are too few to tell. */
async function peersOf(
  ctx: AtEvent,
  config: EventConfig,
  interests: readonly string[],
  me: ParticipantRow,
  weightOf: (code: string) => number,
) {
  const field = config.exhibitorConfig.interestField
  if (field === null || interests.length === 0) return () => null
  const keys = interests.map((code) => interestOf({ field, choice: code }))
  const { rows } = await sql<{ companyId: string; met: number; near: number }>`
    with near as (
      select r.participant_id as id from recommendation_profiles r cross join lateral (
        select sum(m.weight) as weight from unnest(${keys}::text[], ${interests.map(weightOf)}::float8[]) m(key, weight) where m.key = any(r.interests)) s
      where r.tenant_id = ${ctx.tenantId} and r.event_id = ${ctx.event.id} and r.interests && ${keys}::text[] and r.participant_id <> ${me.id}
      order by s.weight desc, r.participant_id limit ${NEAREST})
    select l.company_id as "companyId", count(*)::int as met, (select count(*)::int from near) as near from leads l
    where l.tenant_id = ${ctx.tenantId} and l.event_id = ${ctx.event.id} and l.status = 'active' and not l.is_test_data
      and l.participant_id in (select id from near)
    group by l.company_id having count(*) >= ${FEWEST_PEERS}`.execute(ctx.db)
  const shares = new Map(rows.map(({ companyId, met, near }) => [companyId, met / near]))
  return (companyId: string) => shares.get(companyId) ?? null
}

/** For somebody of whom nothing is known: whom most people met. */
async function byPopularity({ db, tenantId, event }: AtEvent, companies: readonly ComparedCompany[]): Promise<Suggested[]> {
  const { rows } = await sql<{ id: string; leads: number }>`
    select company_id as id, count(*)::int as leads from leads
    where tenant_id = ${tenantId} and event_id = ${event.id} and status = 'active' group by company_id`.execute(db)
  const leads = new Map(rows.map((row) => [row.id, row.leads]))
  const most = Math.max(0, ...companies.map(({ id }) => leads.get(id) ?? 0))
  return companies.map((company) => {
    const score = Math.round(100 * popularity(leads.get(company.id) ?? 0, most))
    return { company, id: company.id, name: company.name, score, reasons: score > 0 ? [{ kind: 'popularity', codes: [] }] : [] }
  })
}
