import { type RawBuilder, sql } from 'kysely'
import type { EventScope } from '../../../kernel/scoped-db.ts'
import type { EventDataForProfiles } from './compiled-event.ts'
import { type ProfileFeature, buildJobTitleLevelsSql } from './feature-list.ts'
import { JOB_FUNCTION_RULES, listKeywordSqlLikePatterns, SENIORITY_RULES } from './job-titles.ts'

/**
 * SQL conditions of the organizer's profile rules on participants (alias `p`). A participant belongs to the first rule whose condition is
 * true.
 */
export type ProfileRuleConditions = readonly RawBuilder<unknown>[]

/** SQL condition: audience profiles include the participant, who is registered, not a guest and not test data. */
export const buildProfileEligibilitySql = ({ tenantId, event }: Pick<EventScope, 'tenantId' | 'event'>) =>
  sql<boolean>`p.tenant_id = ${tenantId} and p.event_id = ${event.id} and p.status = 'complete' and p.host_id is null and not p.is_test_data`

/**
 * Builds a subquery with the feature vector and the behaviour figures of each profiled participant. Every source is aggregated once for the
 * whole event and then joined, so that the time grows linearly with the number of rows.
 */
export function buildFeatureVectorsSql(
  ctx: Pick<EventScope, 'tenantId' | 'event'>,
  event: EventDataForProfiles,
  features: readonly ProfileFeature[],
  rules: ProfileRuleConditions,
): RawBuilder<unknown> {
  const at = (alias: string) =>
    sql`${sql.ref(`${alias}.tenant_id`)} = ${ctx.tenantId} and ${sql.ref(`${alias}.event_id`)} = ${ctx.event.id}`
  const rule =
    rules.length === 0
      ? sql`null::smallint`
      : sql`case ${sql.join(
          rules.map((holds, index) => sql`when ${holds} then ${sql.lit(index + 1)}`),
          sql` `,
        )} end`
  return sql`
    with chosen as materialized (
      select p.id, p.country, p.job_title, p.flow_slug, p.group_id, p.contact_id, p.custom_field_responses,
        ${event.startsOn}::date - (p.completed_at at time zone ${event.timezone})::date as lead_days, ${rule} as rule
      from participants p where ${buildProfileEligibilitySql(ctx)}),
    group_members as (select c.group_id, count(*) as members from chosen c where c.group_id is not null group by 1),
    order_nets as (${selectOrderNets(at)}),
    lead_counts as (
      select l.participant_id, count(*)::int as leads from leads l where ${at('l')} and l.status = 'active' and not l.is_test_data group by 1),
    people as materialized (
      select c.*, coalesce(o.net, 0) + coalesce(g.net / m.members, 0) as net, coalesce(l.leads, 0) as leads, d.participant_id is not null as attended
      from chosen c
        left join order_nets o on o.participant_id = c.id
        left join order_nets g on g.group_id = c.group_id
        left join group_members m on m.group_id = c.group_id
        left join lead_counts l on l.participant_id = c.id
        left join attendance_people d on ${at('d')} and d.participant_id = c.id and d.checked_in_at is not null),
    terciles as (select percentile_cont(array[1.0 / 3, 2.0 / 3]) within group (order by net) filter (where net > 0) as terciles from people),
    ${selectTitleLevels()},
    returning_people as (${selectReturning(ctx, event)}),
    bought as (${selectBought(at, event)}),
    tracks as (${selectTracks(at)}),
    appointment_counts as (
      select x.participant_id, count(*)::int as appointments from appointments a
        cross join lateral (values (a.participant_id), (a.with_participant_id)) x(participant_id)
      where ${at('a')} and a.status in ('booked', 'completed') and not a.is_test_data and x.participant_id is not null group by 1),
    housed as (select distinct r.participant_id from reservations r where ${at('r')} and r.status in ('confirmed', 'noShow') and not r.is_test_data)
    select p.id as participant_id, p.rule::smallint as rule, array[${sql.join(features.map((feature) => feature.sql))}]::text[] as levels, p.net, p.lead_days,
      p.leads, p.attended, coalesce(b.products, '{}') as products
    from people p
      cross join terciles t
      left join titles j on j.job_title = p.job_title
      left join returning_people r on r.contact_id = p.contact_id
      left join bought b on b.participant_id = p.id
      left join tracks s on s.participant_id = p.id
      left join appointment_counts a on a.participant_id = p.id
      left join housed h on h.participant_id = p.id`
}

/**
 * SQL: the levels of each job title of `chosen`. Thousands of titles differ only in words that no keyword contains, such as the name of a
 * department. These words are replaced by a hyphen, because the keywords of all rules take long to compare with each title.
 */
function selectTitleLevels(): RawBuilder<unknown> {
  const { seniority, jobFunction } = buildJobTitleLevelsSql(sql`s.shortened`)
  return sql`
    folded_titles as materialized (
      select d.job_title, string_to_array(trim(regexp_replace(lanyard_searched(d.job_title), '[^[:alnum:]]+', ' ', 'g')), ' ') as words
      from (select distinct job_title from chosen where job_title ~ '\\S') d),
    keyword_words as materialized (
      select d.word from (select distinct unnest(f.words) as word from folded_titles f) d
      where d.word like any(${listKeywordSqlLikePatterns([...SENIORITY_RULES, ...JOB_FUNCTION_RULES])}::text[])),
    short_titles as materialized (
      select f.job_title, string_agg(coalesce(k.word, '-'), ' ' order by u.position) as shortened
      from folded_titles f
        left join lateral unnest(f.words) with ordinality u(word, position) on true
        left join keyword_words k on k.word = u.word
      group by 1),
    short_title_levels as materialized (
      select s.shortened, ${seniority} as seniority, ${jobFunction} as job_function from (select distinct shortened from short_titles) s),
    titles as (
      select t.job_title, l.seniority, l.job_function from short_titles t join short_title_levels l on l.shortened = t.shortened)`
}

type ScopeOf = (alias: string) => RawBuilder<unknown>

/** SQL: the net amounts of the orders of participants, and of groups that pay for their members. */
const selectOrderNets = (at: ScopeOf) => sql`
  select o.participant_id, case when g.pay_by = 'group' then o.group_id end as group_id, sum(l.net)::numeric as net
  from order_lines l
    join orders o on o.tenant_id = l.tenant_id and o.event_id = l.event_id and o.id = l.order_id
    left join managed_groups g on g.tenant_id = o.tenant_id and g.event_id = o.event_id and g.id = o.group_id
  where ${at('l')} and not l.is_test_data and (o.participant_id is not null or g.pay_by = 'group')
  group by 1, 2`

/** SQL: contacts with a complete registration at an earlier event of the client. */
const selectReturning = ({ tenantId, event: { id } }: Pick<EventScope, 'tenantId' | 'event'>, { startsOn }: EventDataForProfiles) => sql`
  select distinct q.contact_id from participants q
    join events e on e.tenant_id = q.tenant_id and e.id = q.event_id and e.starts_on < ${startsOn}::date
    join events own on own.tenant_id = e.tenant_id and own.client_id = e.client_id and own.id = ${id}
  where q.tenant_id = ${tenantId} and q.event_id <> ${id} and q.contact_id is not null and q.status = 'complete' and not q.is_test_data`

/** SQL: the products of each participant, and in how many product categories other than admission they are. */
const selectBought = (at: ScopeOf, { categories }: EventDataForProfiles) => sql`
  select held.participant_id, array_agg(held.product_code order by held.product_code) as products,
    count(distinct coalesce(c.category, 'other')) filter (where c.category is distinct from 'admission')::int as extras
  from (
    select l.participant_id, l.product_code from order_lines l
    where ${at('l')} and l.kind in ('sale', 'credit') and not l.is_test_data and l.participant_id is not null and l.product_code is not null
    group by 1, 2 having sum(l.quantity) > 0) held
    left join unnest(${[...categories.keys()]}::text[], ${[...categories.values()]}::text[]) c(product_code, category) on c.product_code = held.product_code
  group by 1`

/** SQL: the track with the most sessions that each participant booked or visited; `several` on a tie. */
const selectTracks = (at: ScopeOf) => sql`
  select ranked.participant_id, case when count(*) = 1 then min(ranked.track_code) else 'several' end as track
  from (
    select v.participant_id, s.track_code, rank() over (partition by v.participant_id order by count(*) desc) as rank
    from (
      select e.participant_id, e.session_id from session_enrolments e where ${at('e')} and e.status = 'enrolled' and not e.is_test_data
      union
      select r.participant_id, substr(r.place, 6) from attendance_presence r
      where ${at('r')} and r.place >= 'room:' and r.place < 'room;' and r.in_at is not null and not r.is_test_data) v
      join sessions s on ${at('s')} and s.id = v.session_id and s.status <> 'cancelled'
    group by v.participant_id, s.track_code) ranked
  where ranked.rank = 1 group by 1`
