import { defineStateMachine } from '../../kernel/states.ts'

export const SURVEY_INVITE_STATUSES = ['queued', 'delivered', 'bounced', 'opened', 'started', 'completed', 'declined'] as const
export type SurveyInviteStatus = (typeof SURVEY_INVITE_STATUSES)[number]

/** The states of a survey invitation. A link can be used as soon as it exists, regardless of the delivery status of its email. */
export const SURVEY_INVITE_STATES = defineStateMachine<SurveyInviteStatus>({
  column: 'survey_invites.status',
  kind: 'surveyInvite',
  noun: 'survey invitation',
  initial: 'queued',
  moves: {
    queued: ['delivered', 'bounced', 'opened', 'started', 'completed', 'declined'],
    delivered: ['bounced', 'opened', 'started', 'completed', 'declined'],
    bounced: ['queued', 'delivered', 'opened', 'started', 'completed', 'declined'],
    opened: ['started', 'completed', 'declined'],
    started: ['completed', 'declined'],
    completed: [],
    declined: ['started', 'completed'],
  },
})

export const SURVEY_RESPONSE_STATES = defineStateMachine<'partial' | 'complete'>({
  column: 'survey_responses.status',
  kind: 'surveyResponse',
  noun: 'survey response',
  initial: 'partial',
  moves: { partial: ['complete'], complete: [] },
  refusal: 'conflict',
})
