import { z } from 'zod'
import { toOneLine, code, flag, id, list, money, object, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { lockJoinableGroup } from '../../domains/groups/groups.ts'
import { addParticipant } from '../../domains/registration/add.ts'
import { scheduleStatusEmail } from '../../domains/registration/due-emails.ts'
import {
  findDirectoryLookupResult,
  lookUpPeopleInDirectory,
  type DirectoryLookupsByEmail,
} from '../../domains/registration/flows/flow-directories.ts'
import { toGroupPayer } from '../../domains/registration/participant-group.ts'
import { Participant } from '../../domains/registration/participant-shape.ts'
import { toAddParticipantResult } from '../../domains/registration/added-result.ts'

export default eventTool({
  name: 'add_participant',
  title: 'Add a participant',
  description:
    "Register one person by hand who isn't in the system yet: a walk-in (walk-up) at the counter, phone or paper form, late speaker, guest (hostId) or group member. Rules and prices of the web form; invoice stays open, no mail unless asked. Not for changes (use edit_participant). Returns the registration.",
  effect: 'change',
  permission: 'registration.write',
  openWorld: true,
  keyed: true,
  dryRun: true,
  input: {
    flowSlug: code(),
    data: toOneLine(z.record(z.string().max(200), z.unknown()), 'answers by binding'),
    tags: list(code(), 50).default([]),
    status: oneOf(['complete', 'incomplete']).default('complete'),
    hostId: id('participant').optional(),
    groupCode: code().optional(),
    skipRequired: flag().default(false),
    joinWaitlist: flag().default(false),
    overrideCapacity: flag().default(false),
    overrideClosed: flag().default(false),
    sendConfirmation: flag().default(false),
  },
  output: {
    status: oneOf(['new', 'existing_incomplete', 'existing_complete']),
    participant: toOneLine(Participant, 'as get_participant'),
    order: toOneLine(object({ number: text(), total: money(), balance: money() }), 'number, total, balance').optional(),
    invoice: toOneLine(object({ number: text(), total: money() }), 'number, total').optional(),
    waitsFor: list(text()).optional(),
    url: text(2000).optional(),
  },
  // A dry run shows no confirmation number, badge id or link, because the real call generates other ones.
  toPreview: ({ participant }) => ({ url: undefined, participant: { ...participant, confirmationNumber: undefined, badgeId: undefined } }),
  prefetch: (ctx, { flowSlug, data }): Promise<DirectoryLookupsByEmail | undefined> => lookUpPeopleInDirectory(ctx, flowSlug, [data]),
  prefetchOnDemand: true,
  run: async (ctx, { groupCode, sendConfirmation: mails, ...asked }, lookups) => {
    const group = groupCode === undefined ? null : toGroupPayer(await lockJoinableGroup(ctx, groupCode))
    const looked = lookups ? findDirectoryLookupResult(lookups, asked.data) : 'unknown'
    const added = await addParticipant(ctx, { ...asked, group, source: 'organizer', looked, isLastStep: !mails })
    if (mails && added.status === 'new') await scheduleStatusEmail(ctx, added.participant)
    return toAddParticipantResult(ctx, added)
  },
})
