import { editConfigByOperations } from '../domains/authoring/config-set.ts'
import { recordLeadCapture } from '../domains/exhibitors/leads.ts'
import { createGroup } from '../domains/groups/create.ts'
import { updateMembers } from '../domains/groups/members.ts'
import { createAndLinkRoomBlock } from '../domains/groups/room-blocks.ts'
import { cancelOwnRegistration } from '../domains/registration/own/cancel-own.ts'
import { sendCancellationEmail, sendRegistrationStatusEmail } from '../domains/registration/confirmation.ts'
import { editParticipant } from '../domains/registration/edit/edit.ts'
import { getParticipant } from '../domains/registration/participant-rows.ts'
import { substituteParticipant } from '../domains/registration/edit/substitute.ts'
import { getDatabaseTime } from '../kernel/database-time.ts'
import type { DemoMessageReceiver } from './integration.ts'
import {
  GROUP_MEMBER_REGISTRANTS,
  EXHIBITOR_REGISTRANTS,
  REGISTRANTS,
  type Registrant,
  REPLACEMENT_REGISTRANT,
  SPEAKER_REGISTRANTS,
  UNFINISHED_REGISTRANTS,
  WAITLISTED_REGISTRANT,
} from './people.ts'
import {
  buildDemoRegistrationAnswers,
  addUnfinishedRegistration,
  getRegistrationTime,
  getPaymentTime,
  recordPayment,
  refundCredit,
  payInvoice,
  registerDemoAttendee,
  registerParticipantByStaff,
  type DemoHistory,
} from './registering.ts'
import { runDemoEventChange, runDemoParticipantChange } from './stage.ts'
import { seedSurveyAnswers } from './summit-surveys.ts'

interface HistoryMoment {
  at: Date
  run: (history: DemoHistory) => Promise<unknown>
}

const findRegistrant = (last: string): Registrant =>
  [...REGISTRANTS, ...EXHIBITOR_REGISTRANTS, WAITLISTED_REGISTRANT].find((who) => who.last === last)!

/** Creates the history of the conference in order. Emails and webhooks of each action are delivered before the next action. */
export async function seedDemoHistory(history: DemoHistory, companies: readonly string[], receiver: DemoMessageReceiver): Promise<void> {
  const { time } = history
  const at = (days: number, clock: string, run: HistoryMoment['run']): HistoryMoment => ({ at: time.daysBefore(days, clock), run })
  const atRegistration = (who: Registrant, run: HistoryMoment['run']): HistoryMoment => ({ at: getRegistrationTime(time, who), run })
  const moments: HistoryMoment[] = [
    ...REGISTRANTS.map((who) => atRegistration(who, (t) => registerDemoAttendee(t, who))),
    ...EXHIBITOR_REGISTRANTS.map((who) =>
      atRegistration(who, (t) => registerParticipantByStaff(t, who, { flowSlug: 'exhibitor', by: 'olga' })),
    ),
    ...SPEAKER_REGISTRANTS.map((who) =>
      atRegistration(who, (t) => registerParticipantByStaff(t, who, { flowSlug: 'speaker', by: 'beatriz' })),
    ),
    ...UNFINISHED_REGISTRANTS.map(([who, page]) => atRegistration(who, (t) => addUnfinishedRegistration(t, who, page))),
    atRegistration(WAITLISTED_REGISTRANT, (t) => registerDemoAttendee(t, WAITLISTED_REGISTRANT)),
    ...[...REGISTRANTS, ...EXHIBITOR_REGISTRANTS].flatMap((who) =>
      who.pays ? [{ at: getPaymentTime(time, who), run: (t: DemoHistory) => recordPayment(t, who) }] : [],
    ),
    at(19, '09:30', createGroupMoment),
    at(18, '10:30', addGroupMembers),
    atRegistration(REPLACEMENT_REGISTRANT, substitute),
    at(8, '18:05', cancelOwn('Dvořák')),
    at(7, '10:20', (t) => refundCredit(t, findRegistrant('Dvořák'))),
    at(6, '20:40', cancelOwn('Παπαδόπουλος')),
    at(3, '11:05', cancelByStaff),
    at(20, '11:30', (t) => receiver.connect(t)),
    at(1, '17:50', (t) => receiver.pause(t)),
    at(2, '14:10', changeDraft),
    at(4, '16:30', seedSurveyAnswers),
    ...LEADS.map(([days, clock, company, last]) => at(days, clock, (t) => captureLead(t, companies[company]!, last))),
  ]
  for (const { at: instant, run } of moments.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    await time.moveTo(instant)
    await run(history)
    await receiver.deliverAll(history.stage)
  }
}

const GROUP = 'uporto'
/** The nights for which the group has a block of rooms at the hotel. */
const GROUP_NIGHTS = ['2027-05-10', '2027-05-11', '2027-05-12', '2027-05-13']

const createGroupMoment: HistoryMoment['run'] = ({ stage, team, summit }) =>
  runDemoEventChange(stage, summit.event, { colleague: team.amira, app: 'console', tool: 'create_managed_group' }, async (ctx) => {
    const { group } = await createGroup(ctx, {
      name: 'Universidade do Porto',
      code: GROUP,
      kind: 'school',
      maxMembers: 10,
      payBy: 'group',
      tags: ['member'],
      admins: [{ email: 'secretaria.uporto@example.org', name: 'Helena Prata' }],
      flowSlug: 'attendee',
      billTo: { company: 'Universidade do Porto', city: 'Porto', country: 'PT', email: 'secretaria.uporto@example.org' },
    })
    const rooms = [{ hotelId: summit.hotels.get('ribeira')!, roomTypeCode: 'twin', nights: GROUP_NIGHTS, rooms: 4 }]
    await createAndLinkRoomBlock(ctx, { code: GROUP, name: 'Universidade do Porto', owner: { kind: 'group', ref: group.id }, rooms })
  })

/** Registers all members of the group on one invoice and pays half of it. */
const addGroupMembers: HistoryMoment['run'] = async ({ stage, team, summit }) => {
  const add = GROUP_MEMBER_REGISTRANTS.map((who) => ({ data: buildDemoRegistrationAnswers(summit, who) }))
  const { claimed } = await runDemoEventChange(
    stage,
    summit.event,
    { colleague: team.amira, app: 'Claude', tool: 'update_managed_group_members' },
    (ctx) => updateMembers(ctx, { groupCode: GROUP, add, remove: [], moveOrders: false, overrideMax: false, partial: false }),
  )
  const { number, total } = claimed[0]!.invoice!
  await payInvoice({ stage, team, summit }, { number, total: Math.floor(total / 2), method: 'bank', sendReceipt: true })
}

const substitute: HistoryMoment['run'] = ({ stage, team, summit, registered }) =>
  runDemoEventChange(stage, summit.event, { colleague: team.amira, app: 'ChatGPT', tool: 'substitute_participant' }, async (ctx) => {
    const leaving = await getParticipant(ctx, registered.get(findRegistrant('Hughes').email)!.participantId)
    const { first, last, email, company, job, country } = REPLACEMENT_REGISTRANT
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
      reason: 'On parental leave in May',
    })
    await sendRegistrationStatusEmail(ctx, to.id)
  })

const cancelOwn =
  (last: string): HistoryMoment['run'] =>
  ({ stage, summit, registered }) => {
    const { email } = findRegistrant(last)
    return runDemoParticipantChange(stage, summit.event, { email, action: 'cancel_own_registration' }, (ctx) =>
      cancelOwnRegistration(ctx, registered.get(email)!.participantId),
    )
  }

/** A registration cancelled by a team member after a phone call. The payment stays as credit until it is refunded. */
const cancelByStaff: HistoryMoment['run'] = ({ stage, team, summit, registered }) =>
  runDemoEventChange(stage, summit.event, { colleague: team.amira, app: 'console', tool: 'edit_participant' }, async (ctx) => {
    const { participantId } = registered.get(findRegistrant('van der Merwe').email)!
    await editParticipant(ctx, await getParticipant(ctx, participantId), {
      status: 'cancelled',
      credit: 'policy',
      keepGuests: false,
      reprice: false,
      overrideCapacity: false,
      reason: 'Called: has to be at another site that week',
    })
    await sendCancellationEmail(ctx, participantId)
  })

/** Changes a price and a text in the draft configuration without publishing them. */
const changeDraft: HistoryMoment['run'] = ({ stage, team, summit }) =>
  runDemoEventChange(stage, summit.event, { colleague: team.beatriz, app: 'Claude', tool: 'config_set' }, (ctx) =>
    editConfigByOperations(ctx, {
      operations: [
        { op: 'set', path: '/products/conference-pass/prices/1/amount', valueJson: '"790.00"' },
        { op: 'set', path: '/details/summary', valueJson: '"Three days by the river on building things that last."' },
      ],
      note: 'The late price goes up with the third day of catering.',
    }),
  )

/** Scanned leads: days ago, time, company, last name. */
const LEADS: readonly (readonly [days: number, clock: string, company: number, last: string])[] = [
  [3, '14:05', 0, 'Pinto'],
  [3, '14:31', 0, 'Lindqvist'],
  [3, '15:12', 1, 'Okonkwo'],
  [2, '10:08', 0, 'Sørensen'],
  [2, '10:40', 1, 'Pinto'],
  [2, '11:17', 0, 'Subramaniam'],
  [1, '16:02', 1, 'Wiśniewski'],
]

/** A scan leaves no audit row, but is announced to webhooks. */
const captureLead = ({ stage, team, summit, registered }: DemoHistory, companyId: string, last: string): Promise<string> =>
  runDemoEventChange(stage, summit.event, { colleague: team.kenji, app: 'console', tool: 'scan' }, async (ctx) =>
    recordLeadCapture(ctx, {
      companyId,
      participantId: registered.get(findRegistrant(last).email)!.participantId,
      isTestData: false,
      type: 'sdk',
      at: await getDatabaseTime(ctx),
    }),
  )
