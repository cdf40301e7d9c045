import { type AnswerValue, MAX_TEXT_LENGTH, readAnswer } from '../../../domains/surveys/answers.ts'
import {
  completeResponse,
  findOwnResponse,
  deleteResponseKey,
  listUnansweredQuestions,
  setInviteStatus,
  type OwnResponse,
  saveAnswers,
} from '../../../domains/surveys/respond.ts'
import type { Question } from '../../../domains/surveys/survey-config.ts'
import { AppError, type FieldError, notFound } from '../../../kernel/errors.ts'
import { newEventRouter } from '../event/event-layout.tsx'
import { eventContext } from '../event/event-site.ts'
import { listFieldValues } from '../form-values.ts'
import { type FormValues, readOwnForm, type WebContext, type WebServices } from '../web.ts'
import { findResumePage, showSurveyForm } from './form-page.tsx'
import { showAnsweredPage, showClosedPage, showDeclinedPage, showNotYetOpenPage } from './state-pages.tsx'
import { changeAsInvitee, getQuestionFieldName, admitInvitee, listSurveyPages, SURVEY_PATH, type SurveySite } from './survey-site.tsx'

/**
 * Whether the answers were sent. Checks the response as well as the invitation: after a crash, the invitation of an anonymous response
 * may not be marked as completed.
 */
const isAnswered = ({ invite, response }: SurveySite) => invite.status === 'completed' || response?.status === 'complete'

/** Returns the page that shows why the survey takes no answers from this visitor; null if it takes answers. */
function showUnanswerable(web: WebServices, c: WebContext, at: SurveySite) {
  if (at.period === 'closed') return showClosedPage(web, c, at.site)
  if (isAnswered(at)) return showAnsweredPage(web, c, at, { isNew: c.req.query('sent') === '1' })
  return at.period === 'notYet' ? showNotYetOpenPage(web, c, at) : null
}

async function showSurvey(web: WebServices, c: WebContext, at: SurveySite): Promise<Response> {
  const state = showUnanswerable(web, c, at)
  if (state) return state
  if (at.invite.status === 'declined' && c.req.query('again') !== '1') return showDeclinedPage(web, c, at)
  const asked = Number(c.req.query('page')) - 1
  const isPage = Number.isInteger(asked) && asked >= 0 && asked < listSurveyPages(at.survey).length
  return showSurveyForm(web, c, at, { page: isPage ? asked : findResumePage(at) })
}

function requireForm<T>(form: T | null): T {
  if (form === null) throw notFound('This form was sent from another page')
  return form
}

/** Reads the answers of one page. Answers with an error are left out, so that the others can be saved. */
function readPage({ site }: SurveySite, questions: readonly Question[], form: FormValues) {
  const { say } = site.words
  const answers = new Map<string, AnswerValue | null>()
  const errors: FieldError[] = []
  for (const question of questions) {
    const read = readAnswer(question, listFieldValues(form, getQuestionFieldName(question)))
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
async function savePage(web: WebServices, at: SurveySite, answers: ReadonlyMap<string, AnswerValue | null>): Promise<OwnResponse | null> {
  const { survey, site } = at
  try {
    const response = await changeAsInvitee(web, at, { isAudited: false }, async (ctx) => {
      // The invitation of an anonymous survey is marked in a separate transaction, because a shared one would link the invitation to the
      // answers.
      if (!survey.anonymous) await setInviteStatus(ctx, at, 'started')
      return saveAnswers(ctx, at, { answers, locale: site.words.locale })
    })
    if (survey.anonymous) await changeAsInvitee(web, at, { isAudited: false }, (ctx) => setInviteStatus(ctx, at, 'started'))
    return response
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict') return null
    throw error
  }
}

/** Completes the response and marks the invitation: in one transaction, or for an anonymous survey in separate ones. */
async function complete(web: WebServices, at: SurveySite, response: OwnResponse): Promise<void> {
  if (!at.survey.anonymous) {
    await changeAsInvitee(web, at, { isAudited: true }, async (ctx) => {
      await setInviteStatus(ctx, at, 'completed')
      await completeResponse(ctx, at, response)
    })
    return
  }
  await changeAsInvitee(web, at, { isAudited: false }, (ctx) => completeResponse(ctx, at, response))
  await finishAnonymous(web, at)
}

async function finishAnonymous(web: WebServices, at: SurveySite): Promise<void> {
  await changeAsInvitee(web, at, { isAudited: false }, (ctx) => setInviteStatus(ctx, at, 'completed'))
  await changeAsInvitee(web, at, { isAudited: false }, (ctx) => deleteResponseKey(ctx, at))
}

async function answerPage(web: WebServices, c: WebContext, at: SurveySite): Promise<Response> {
  const form = requireForm(await readOwnForm(web, c))
  // Marks the invitation of an anonymous response as completed, if a crash prevented that after the answers were sent.
  if (at.survey.anonymous && at.response?.status === 'complete') await finishAnonymous(web, at)
  const state = showUnanswerable(web, c, at)
  if (state) return state
  const pages = listSurveyPages(at.survey)
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
  { site, survey }: SurveySite,
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
async function finish(web: WebServices, c: WebContext, at: SurveySite, response: OwnResponse): Promise<Response> {
  const [missing] = listUnansweredQuestions(at.survey, response.answers)
  if (missing) {
    const page = listSurveyPages(at.survey).findIndex((questions) => questions.includes(missing))
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

async function decline(web: WebServices, c: WebContext, at: SurveySite): Promise<Response> {
  requireForm(await readOwnForm(web, c))
  const state = showUnanswerable(web, c, at)
  if (state) return state
  // Declining keeps a response that the invitee has started, and the status of the invitation stays `started`.
  if ((await findOwnResponse(eventContext(web, at.site), at)) === null)
    await changeAsInvitee(web, at, { isAudited: true, action: 'decline_survey' }, (ctx) => setInviteStatus(ctx, at, 'declined'))
  return c.redirect(at.home, 303)
}

/** `/s/<token>`: a survey behind a personal link. GET changes nothing, because mail scanners open every link. */
export const surveyPages = (web: WebServices) =>
  newEventRouter(web)
    .get(SURVEY_PATH, admitInvitee(web, showSurvey))
    .post(SURVEY_PATH, admitInvitee(web, answerPage))
    .post(`${SURVEY_PATH}/decline`, admitInvitee(web, decline))
