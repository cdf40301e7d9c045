import { type AnswerValue, MAX_TEXT_LENGTH, parseSurveyAnswer } from '../../../domains/surveys/answers.ts'
import {
  completeResponse,
  findLinkedSurveyResponse,
  unlinkAnonymousResponse,
  listUnansweredQuestions,
  setInviteStatus,
  type SurveyResponseOfLink,
  saveAnswers,
} from '../../../domains/surveys/respond.ts'
import type { Question } from '../../../domains/surveys/survey-config.ts'
import { AppError, type FieldError, notFound } from '../../../kernel/errors.ts'
import { createEventRouter } from '../event/event-layout.tsx'
import { createPublicEventContext } from '../event/event-site.ts'
import { listFieldValues } from '../form-values.ts'
import { type FormValues, readSameOriginForm, type WebContext, type WebServices } from '../web.ts'
import { findResumePageIndex, showSurveyForm } from './form-page.tsx'
import { showAnsweredPage, showClosedPage, showDeclinedPage, showNotYetOpenPage } from './state-pages.tsx'
import {
  runSurveyInviteeChange,
  getQuestionFieldName,
  withSurveyInviteeAccess,
  splitQuestionsIntoPages,
  SURVEY_PATH,
  type SurveyPageContext,
} from './survey-site.tsx'

/**
 * Whether the answers were sent. Checks the response as well as the invitation: after a crash, the invitation of an anonymous response
 * may not be marked as completed.
 */
const isAnswered = ({ invite, response }: SurveyPageContext) => invite.status === 'completed' || response?.status === 'complete'

/** Returns the page that shows why the survey takes no answers from this visitor; null if it takes answers. */
function showUnanswerable(web: WebServices, c: WebContext, at: SurveyPageContext) {
  if (at.period === 'closed') return showClosedPage(web, c, at.site)
  if (isAnswered(at)) return showAnsweredPage(web, c, at, { isNew: c.req.query('sent') === '1' })
  return at.period === 'notYet' ? showNotYetOpenPage(web, c, at) : null
}

async function showSurvey(web: WebServices, c: WebContext, at: SurveyPageContext): Promise<Response> {
  const state = showUnanswerable(web, c, at)
  if (state) return state
  if (at.invite.status === 'declined' && c.req.query('again') !== '1') return showDeclinedPage(web, c, at)
  const asked = Number(c.req.query('page')) - 1
  const isPage = Number.isInteger(asked) && asked >= 0 && asked < splitQuestionsIntoPages(at.survey).length
  return showSurveyForm(web, c, at, { page: isPage ? asked : findResumePageIndex(at) })
}

function requireForm<T>(form: T | null): T {
  if (form === null) throw notFound('This form was sent from another page')
  return form
}

/** Reads the answers of one page. Answers with an error are left out, so that the others can be saved. */
function readPage({ site }: SurveyPageContext, questions: readonly Question[], form: FormValues) {
  const { say } = site.words
  const answers = new Map<string, AnswerValue | null>()
  const errors: FieldError[] = []
  for (const question of questions) {
    const read = parseSurveyAnswer(question, listFieldValues(form, getQuestionFieldName(question)))
    if ('value' in read) answers.set(question.code, read.value)
    else
      errors.push({
        path: getQuestionFieldName(question),
        message:
          read.error === 'tooLong'
            ? say('survey.tooLong', { max: MAX_TEXT_LENGTH, question: question.name })
            : say('survey.notAChoice', { question: question.name }),
      })
  }
  return { answers, errors }
}

/** Saves a page. Returns null if the survey was answered meanwhile, in another window. */
async function savePage(
  web: WebServices,
  at: SurveyPageContext,
  answers: ReadonlyMap<string, AnswerValue | null>,
): Promise<SurveyResponseOfLink | null> {
  const { survey, site } = at
  try {
    const response = await runSurveyInviteeChange(web, at, { isAudited: false }, async (ctx) => {
      // An anonymous survey marks the invitation in a separate transaction, because a shared one would link it to the answers.
      if (!survey.anonymous) await setInviteStatus(ctx, at, 'started')
      return saveAnswers(ctx, at, { answers, locale: site.words.locale })
    })
    if (survey.anonymous) await runSurveyInviteeChange(web, at, { isAudited: false }, (ctx) => setInviteStatus(ctx, at, 'started'))
    return response
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return null
    throw error
  }
}

/** Completes the response and marks the invitation: in one transaction, or for an anonymous survey in separate ones. */
async function complete(web: WebServices, at: SurveyPageContext, response: SurveyResponseOfLink): Promise<void> {
  if (!at.survey.anonymous) {
    await runSurveyInviteeChange(web, at, { isAudited: true }, async (ctx) => {
      await setInviteStatus(ctx, at, 'completed')
      await completeResponse(ctx, at, response)
    })
    return
  }
  await runSurveyInviteeChange(web, at, { isAudited: false }, (ctx) => completeResponse(ctx, at, response))
  await finishAnonymous(web, at)
}

async function finishAnonymous(web: WebServices, at: SurveyPageContext): Promise<void> {
  await runSurveyInviteeChange(web, at, { isAudited: false }, (ctx) => setInviteStatus(ctx, at, 'completed'))
  await runSurveyInviteeChange(web, at, { isAudited: false }, (ctx) => unlinkAnonymousResponse(ctx, at))
}

async function answerPage(web: WebServices, c: WebContext, at: SurveyPageContext): Promise<Response> {
  const form = requireForm(await readSameOriginForm(web, c))
  // Marks the invitation of an anonymous response as completed, if a crash prevented that after the answers were sent.
  if (at.survey.anonymous && at.response?.status === 'complete') await finishAnonymous(web, at)
  const state = showUnanswerable(web, c, at)
  if (state) return state
  const pages = splitQuestionsIntoPages(at.survey)
  const page = Math.min(Math.max(Number(form['page']) || 1, 1), pages.length) - 1
  const { answers, errors } = readPage(at, pages[page]!, form)
  const response = await savePage(web, at, answers)
  if (response === null) return c.redirect(at.home, 303)
  if (form['do'] === 'back') return c.redirect(`${at.home}?page=${Math.max(page, 1)}`, 303)
  const saved = { ...at, response }
  const missing = [...errors, ...findMissing(saved, pages[page]!, answers)]
  if (missing.length > 0) return showSurveyForm(web, c, saved, { page, sent: form, errors: missing })
  if (page < pages.length - 1) return c.redirect(`${at.home}?page=${page + 2}`, 303)
  return finish(web, c, saved, response)
}

function findMissing(
  { site, survey }: SurveyPageContext,
  questions: readonly Question[],
  answers: ReadonlyMap<string, AnswerValue | null>,
): FieldError[] {
  return listUnansweredQuestions(survey, answers)
    .filter((question) => questions.includes(question) && answers.has(question.code))
    .map((question) => ({
      path: getQuestionFieldName(question),
      message: site.words.say('survey.answerNeeded', { question: question.name }),
    }))
}

/** Submits the survey response, unless a required question of an earlier page has no answer; then shows that page. */
async function finish(web: WebServices, c: WebContext, at: SurveyPageContext, response: SurveyResponseOfLink): Promise<Response> {
  const [missing] = listUnansweredQuestions(at.survey, response.answers)
  if (missing) {
    const page = splitQuestionsIntoPages(at.survey).findIndex((questions) => questions.includes(missing))
    const message = at.site.words.say('survey.answerNeeded', { question: missing.name })
    return showSurveyForm(web, c, at, { page, errors: [{ path: getQuestionFieldName(missing), message }] })
  }
  try {
    await complete(web, at, response)
  } catch (error) {
    // Another request with the same link completed the response first.
    if (!(error instanceof AppError) || error.code !== 'conflict') throw error
  }
  return c.redirect(`${at.home}?sent=1`, 303)
}

async function decline(web: WebServices, c: WebContext, at: SurveyPageContext): Promise<Response> {
  requireForm(await readSameOriginForm(web, c))
  const state = showUnanswerable(web, c, at)
  if (state) return state
  // Declining keeps a response that the invitee has started, and the status of the invitation stays `started`.
  if ((await findLinkedSurveyResponse(createPublicEventContext(web, at.site), at)) === null)
    await runSurveyInviteeChange(web, at, { isAudited: true, action: 'decline_survey' }, (ctx) => setInviteStatus(ctx, at, 'declined'))
  return c.redirect(at.home, 303)
}

/** `/s/<token>`: a survey behind a personal link. GET changes nothing, because mail scanners open every link. */
export const surveyPages = (web: WebServices) =>
  createEventRouter(web)
    .get(SURVEY_PATH, withSurveyInviteeAccess(web, showSurvey))
    .post(SURVEY_PATH, withSurveyInviteeAccess(web, answerPage))
    .post(`${SURVEY_PATH}/decline`, withSurveyInviteeAccess(web, decline))
