import { multiActionEventTool } from '../../kernel/manage-tool.ts'
import { inviteSpeakers } from '../../domains/sessions/invite-speakers.ts'
import { createSpeaker, type NewSpeaker } from '../../domains/sessions/speakers.ts'
import * as manage from '../../domains/submissions/manage-speaker.ts'

export default multiActionEventTool({
  name: 'manage_speaker',
  title: 'Manage a speaker',
  description:
    'Invite a speaker (faculty, presenter, keynote) by email, merge duplicates or delete one, which cannot be undone: make a dryRun first. Actions: get, create, update (bio), invite, set_status (confirmed, declined, pulled out), link_participant (registration), merge, delete. For many use import_speakers. Returns the speaker.',
  effect: 'destructive',
  area: 'sessions',
  keyed: true,
  openWorld: true,
  input: manage.MANAGE_SPEAKER_ARGUMENTS,
  output: manage.MANAGE_SPEAKER_RESULT_FIELDS,
  actions: (action) => ({
    get: action.read([], manage.getSpeakerByIdOrEmail, { takes: ['speakerId', 'email'] }),
    create: action.change(
      ['firstName', 'lastName', 'email'],
      async (ctx, input) => manage.getSpeakerDetails(ctx, (await createSpeaker(ctx, input as NewSpeaker)).id),
      { takes: manage.EDITABLE_SPEAKER_FIELDS },
    ),
    update: action.change(['speakerId'], manage.updateSpeakerAndReturnDetails, {
      takes: ['firstName', 'lastName', 'email', ...manage.EDITABLE_SPEAKER_FIELDS, 'clear', 'ifRevision'],
    }),
    invite: action.change(['speakerIds'], inviteSpeakers, { takes: ['flowSlug', 'message', 'resend'], also: ['email.send'] }),
    set_status: action.change(['speakerId', 'status'], manage.setSpeakerStatusAndShow, { takes: ['reason'] }),
    link_participant: action.change(['speakerId', 'participantId'], manage.linkParticipantAndShowSpeaker),
    merge: action.change(['keepId', 'dropId'], manage.mergeSpeakersAndReturnDetails),
    delete: action.change(['speakerId'], manage.deleteSpeakerAndReturnCount),
  }),
})
