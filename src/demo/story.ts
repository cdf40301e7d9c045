import { setConfig } from '../domains/authoring/config-set.ts'
import { capture } from '../domains/exhibitors/leads.ts'
import { createGroup } from '../domains/groups/create.ts'
import { updateMembers } from '../domains/groups/members.ts'
import { cancelOwn } from '../domains/registration/cancel-own.ts'
import { sendCancellation, sendConfirmation } from '../domains/registration/confirmation.ts'
import { editParticipant } from '../domains/registration/edit.ts'
import { getParticipant } from '../domains/registration/people.ts'
import { substituteParticipant } from '../domains/registration/substitute.ts'
import { databaseTime } from '../kernel/database-time.ts'
import type { Receiver } from './integration.ts'
import { CLASS, EXHIBITORS, REGISTRANTS, type Registrant, REPLACEMENT, SPEAKERS, UNFINISHED, WAITING } from './people.ts'
import {
  answersOf,
  leaveUnfinished,
  momentOf,
  paidAt,
  pay,
  payBack,
  payInvoice,
  register,
  registerFor,
  type Telling,
} from './registering.ts'
import { doAtEvent, doOnPages } from './stage.ts'

interface Moment {
  at: Date
  happens: (telling: Telling) => Promise<unknown>
}

const named = (last: string): Registrant => [...REGISTRANTS, ...EXHIBITORS, WAITING].find((who) => who.last === last)!

/** Everything that happened at the conference, in the order in which it did. What each of it sends goes out before the next begins. */
export async function tellStory(telling: Telling, companies: readonly string[], receiver: Receiver): Promise<void> {
  const { time } = telling
  const at = (days: number, clock: string, happens: Moment['happens']): Moment => ({ at: time.daysBefore(days, clock), happens })
  const comes = (who: Registrant, happens: Moment['happens']): Moment => ({ at: momentOf(time, who), happens })
  const moments: Moment[] = [
    ...REGISTRANTS.map((who) => comes(who, (t) => register(t, who))),
    ...EXHIBITORS.map((who) => comes(who, (t) => registerFor(t, who, { flowSlug: 'exhibitor', by: 'olga' }))),
    ...SPEAKERS.map((who) => comes(who, (t) => registerFor(t, who, { flowSlug: 'speaker', by: 'beatriz' }))),
    ...UNFINISHED.map(([who, page]) => comes(who, (t) => leaveUnfinished(t, who, page))),
    comes(WAITING, (t) => register(t, WAITING)),
    ...[...REGISTRANTS, ...EXHIBITORS].flatMap((who) =>
      who.pays ? [{ at: paidAt(time, who), happens: (t: Telling) => pay(t, who) }] : [],
    ),
    at(19, '09:30', openClass),
    at(18, '10:30', fillClass),
    comes(REPLACEMENT, substitute),
    at(8, '18:05', cancelsThemselves('Dvořák')),
    at(7, '10:20', (t) => payBack(t, named('Dvořák'))),
    at(6, '20:40', cancelsThemselves('Παπαδόπουλος')),
    at(3, '11:05', cancelledBy),
    at(20, '11:30', (t) => receiver.connect(t)),
    at(1, '17:50', (t) => receiver.pause(t)),
    at(2, '14:10', changeDraft),
    ...LEADS.map(([days, clock, company, last]) => at(days, clock, (t) => meet(t, companies[company]!, last))),
  ]
  for (const { at: instant, happens } of moments.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    await time.moveTo(instant)
    await happens(telling)
    await receiver.takeAll(telling.stage)
  }
}

const GROUP = 'uporto'

const openClass: Moment['happens'] = ({ stage, team, summit }) =>
  doAtEvent(stage, summit.event, { colleague: team.amira, app: 'console', tool: 'create_managed_group' }, (ctx) =>
    createGroup(ctx, {
      name: 'Universidade do Porto',
      code: GROUP,
      kind: 'school',
      maxMembers: 10,
      payBy: 'group',
      tags: ['member'],
      admins: [{ email: 'secretaria.uporto@example.org', name: 'Helena Prata' }],
      flowSlug: 'attendee',
      billTo: { company: 'Universidade do Porto', city: 'Porto', country: 'PT', email: 'secretaria.uporto@example.org' },
    }),
  )

/** All on one bill, a part of which is paid. */
const fillClass: Moment['happens'] = async ({ stage, team, summit }) => {
  const add = CLASS.map((who) => ({ data: answersOf(summit, who) }))
  const { claimed } = await doAtEvent(
    stage,
    summit.event,
    { colleague: team.amira, app: 'Claude', tool: 'update_managed_group_members' },
    (ctx) => updateMembers(ctx, { groupCode: GROUP, add, remove: [], moveOrders: false, overrideMax: false, partial: false }),
  )
  const { number, total } = claimed[0]!.invoice!
  await payInvoice({ stage, team, summit }, { number, total: Math.floor(total / 2), method: 'bank', sendReceipt: true })
}

const substitute: Moment['happens'] = ({ stage, team, summit, registered }) =>
  doAtEvent(stage, summit.event, { colleague: team.amira, app: 'ChatGPT', tool: 'substitute_participant' }, async (ctx) => {
    const leaving = await getParticipant(ctx, registered.get(named('Hughes').email)!.participantId)
    const { first, last, email, company, job, country } = REPLACEMENT
    const { to } = await substituteParticipant(ctx, leaving, {
      replacement: {
        '@participant.firstName': first,
        '@participant.lastName': last,
        '@participant.email': email,
        '@participant.company': company,
        '@participant.jobTitle': job,
        '@participant.country': country,
      },
      transferGuests: false,
      transferHousing: true,
      transferSessions: true,
      reprice: false,
      reason: 'Is on parental leave in May',
    })
    await sendConfirmation(ctx, to.id)
  })

const cancelsThemselves =
  (last: string): Moment['happens'] =>
  ({ stage, summit, registered }) => {
    const { email } = named(last)
    return doOnPages(stage, summit.event, { email, action: 'cancel_own_registration' }, (ctx) =>
      cancelOwn(ctx, registered.get(email)!.participantId),
    )
  }

/** By a colleague, who was called. What was paid is credit until somebody pays it back. */
const cancelledBy: Moment['happens'] = ({ stage, team, summit, registered }) =>
  doAtEvent(stage, summit.event, { colleague: team.amira, app: 'console', tool: 'edit_participant' }, async (ctx) => {
    const { participantId } = registered.get(named('van der Merwe').email)!
    await editParticipant(ctx, await getParticipant(ctx, participantId), {
      status: 'cancelled',
      credit: 'policy',
      keepGuests: false,
      reprice: false,
      overrideCapacity: false,
      reason: 'Called: has to be at another site that week',
    })
    await sendCancellation(ctx, participantId)
  })

/** A price and a text that visitors do not see yet. */
const changeDraft: Moment['happens'] = ({ stage, team, summit }) =>
  doAtEvent(stage, summit.event, { colleague: team.beatriz, app: 'Claude', tool: 'config_set' }, (ctx) =>
    setConfig(ctx, {
      operations: [
        { op: 'set', path: '/products/conference-pass/prices/1/amount', valueJson: '"790.00"' },
        { op: 'set', path: '/details/summary', valueJson: '"Three days by the river on building things that last."' },
      ],
      note: 'The late price goes up with the third day of catering.',
    }),
  )

/** Who was met at whose booth while the halls were shown to exhibitors: day, time, company, person. */
const LEADS: readonly (readonly [days: number, clock: string, company: number, last: string])[] = [
  [3, '14:05', 0, 'Pinto'],
  [3, '14:31', 0, 'Lindqvist'],
  [3, '15:12', 1, 'Okonkwo'],
  [2, '10:08', 0, 'Sørensen'],
  [2, '10:40', 1, 'Pinto'],
  [2, '11:17', 0, 'Subramaniam'],
  [1, '16:02', 1, 'Wiśniewski'],
]

/** A scan is no change of anybody's, so it leaves no audit row; integrators are told of it all the same. */
const meet = ({ stage, team, summit, registered }: Telling, companyId: string, last: string): Promise<string> =>
  doAtEvent(stage, summit.event, { colleague: team.kenji, app: 'console', tool: 'scan' }, async (ctx) =>
    capture(ctx, {
      companyId,
      participantId: registered.get(named(last).email)!.participantId,
      isTestData: false,
      type: 'sdk',
      at: await databaseTime(ctx),
    }),
  )
