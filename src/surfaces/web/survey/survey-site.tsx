import type { Child } from 'hono/jsx'
import type { RegistrationContext } from '../../../domains/registration/event-snapshot.ts'
import { findSurveyInvite, type SurveyInviteOfLink } from '../../../domains/surveys/invites.ts'
import { findLinkedSurveyResponse, type OpenedSurveyLink, type SurveyResponseOfLink } from '../../../domains/surveys/respond.ts'
import { getSurveyAvailability, type Question, type Survey } from '../../../domains/surveys/survey-config.ts'
import type { Actor } from '../../../kernel/context.ts'
import { sendNotFoundPage } from '../error-pages.tsx'
import { showEventPage } from '../event/event-layout.tsx'
import { runChangeFromEventPage, createPublicEventContext, type EventSite, findEventSiteByCodes } from '../event/event-site.ts'
import type { WebContext, WebServices } from '../web.ts'
import { showClosedPage } from './state-pages.tsx'

export const SURVEY_PATH = '/s/:token'

const QUESTIONS_PER_PAGE = 10

/** A survey behind a personal link, as shown to the invitee. */
export interface SurveyPageContext extends OpenedSurveyLink {
  invite: SurveyInviteOfLink
  site: EventSite
  home: string
  /** The invitee's response; null before the first answer, and after an anonymous response was sent. */
  response: SurveyResponseOfLink | null
  period: ReturnType<typeof getSurveyAvailability>
}

/** Returns the actor for the audit log. Anonymous answers must not be recorded under the name of the person. */
const actorOf = ({ invite, survey }: SurveyPageContext, { visitor }: EventSite): Actor =>
  survey.anonymous ? visitor : { kind: 'participant', id: invite.participantId, name: invite.name, app: { id: null, name: 'web' } }

/** Finds the survey of an emailed link. A survey that the event no longer has is shown as closed; an unknown link is not found. */
export const withSurveyInviteeAccess =
  (web: WebServices, handle: (web: WebServices, c: WebContext, at: SurveyPageContext) => Promise<Response>) =>
  async (c: WebContext): Promise<Response> => {
    const { token = '' } = c.req.param() as Record<string, string>
    const invite = await findSurveyInvite(web.services.database.pool, token)
    const site =
      invite &&
      (await findEventSiteByCodes(web, c, { tenantCode: invite.tenantCode, clientCode: invite.client.code, eventCode: invite.event.code }))
    if (!invite || !site) return sendNotFoundPage(web, c)
    const survey = site.config.surveys.find(({ code }) => code === invite.surveyCode)
    if (!survey) return showClosedPage(web, c, site)
    const invitation = { invite, survey, token }
    const response = await findLinkedSurveyResponse(createPublicEventContext(web, site), invitation)
    return handle(web, c, { ...invitation, site, home: `/s/${token}`, response, period: getSurveyAvailability(survey, site.facts) })
  }

/**
 * Runs a step of the response. The audit log records only that a named response was completed or declined: an entry about an anonymous
 * response would show when its person answered.
 */
export const runSurveyInviteeChange = <T,>(
  web: WebServices,
  at: SurveyPageContext,
  { isAudited, action = 'answer_survey' }: { isAudited: boolean; action?: string },
  run: (ctx: RegistrationContext) => Promise<T>,
): Promise<T> =>
  runChangeFromEventPage(web, at.site, { action, actor: actorOf(at, at.site), isAnonymousStep: at.survey.anonymous || !isAudited }, run)

export const showSurveyPage = (
  web: WebServices,
  c: WebContext,
  site: EventSite,
  page: { title: string; status?: 200 | 400 | 410 },
  body: Child,
) => showEventPage(web, c, site, { ...page, referrer: 'no-referrer' }, body)

/** Groups the questions of a survey by page. */
export const splitQuestionsIntoPages = ({ questions }: Survey): (readonly Question[])[] =>
  Array.from({ length: Math.ceil(questions.length / QUESTIONS_PER_PAGE) }, (_, page) =>
    questions.slice(page * QUESTIONS_PER_PAGE, (page + 1) * QUESTIONS_PER_PAGE),
  )

/** Returns the name of a question's form field. */
export const getQuestionFieldName = ({ code }: Pick<Question, 'code'>): string => `a-${code}`
