import type { AnswerValue } from '../../../domains/surveys/answers.ts'
import type { Question } from '../../../domains/surveys/survey-config.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { Button, ErrorSummary, type FieldErrors, Form } from '../components/forms.tsx'
import { Card, Notice } from '../components/parts.tsx'
import { toFormErrors } from '../event/event-layout.tsx'
import { listFieldValues } from '../form-values.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../web.ts'
import { SurveyQuestion } from './questions.tsx'
import { getQuestionFieldName, splitQuestionsIntoPages, showSurveyPage, type SurveyPageContext } from './survey-site.tsx'

interface FormPage {
  /** The index of the page of the survey. */
  page: number
  /** The submitted values, if they are shown again with errors. */
  sent?: FormValues
  errors?: FieldErrors
}

const toValues = (value: AnswerValue | undefined): readonly string[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [String(value)]

/** Returns the page on which an unfinished response continues: the first page that was not answered yet. */
export function findResumePageIndex({ survey, response }: SurveyPageContext): number {
  const shown = new Set(response?.shown)
  const pages = splitQuestionsIntoPages(survey)
  const open = pages.findIndex((questions) => questions.some(({ code }) => !shown.has(code)))
  return open < 0 ? pages.length - 1 : open
}

/** Shows one page of the survey as a form. */
export function showSurveyForm(web: WebServices, c: WebContext, at: SurveyPageContext, { page, sent, errors = [] }: FormPage) {
  const { site, survey, home } = at
  const { say } = site.words
  const pages = splitQuestionsIntoPages(survey)
  const valuesOf = (question: Question) =>
    sent ? listFieldValues(sent, getQuestionFieldName(question)) : toValues(at.response?.answers.get(question.code))
  const isLast = page === pages.length - 1
  const csrf = getCsrfToken(web, c)
  return showSurveyPage(
    web,
    c,
    site,
    { title: survey.name, status: errors.length > 0 ? 400 : 200 },
    <div class="checkout narrow">
      <SurveyHead at={at} page={page} pages={pages.length} />
      <ErrorSummary {...toFormErrors(site, errors)} />
      <Form action={home} csrf={csrf} class="checkout-main">
        <input type="hidden" name="page" value={String(page + 1)} />
        <Card>
          <div class="survey">
            {pages[page]!.map((question) => (
              <SurveyQuestion site={site} question={question} values={valuesOf(question)} errors={errors} />
            ))}
          </div>
        </Card>
        <div class="actions">
          <Button tone="primary" name="do" value="next">
            {isLast ? say('survey.send') : say('register.next')}
          </Button>
          {page > 0 ? (
            <Button name="do" value="back">
              {say('register.back')}
            </Button>
          ) : null}
        </div>
      </Form>
      {at.response === null ? (
        <Form action={`${home}/decline`} csrf={csrf}>
          <button type="submit" class="linklike">
            {say('survey.decline')}
          </button>
          <p class="small muted">{say('survey.declineText')}</p>
        </Form>
      ) : null}
    </div>,
  )
}

const SurveyHead = ({ at: { site, survey, invite, response }, page, pages }: { at: SurveyPageContext; page: number; pages: number }) => {
  const { say, locale } = site.words
  return (
    <div class="head">
      <h1 lang={site.langOf(survey.name)}>{survey.name}</h1>
      {invite.sessionTitle === null ? null : (
        <p class="lead" lang={site.mainLang}>
          {say('survey.about', { session: invite.sessionTitle })}
        </p>
      )}
      <p class="muted">
        {survey.anonymous ? say('survey.anonymous') : say('survey.named')}
        {survey.closesAt === null
          ? null
          : ` ${say('survey.openUntil', { moment: formatInstantWithTimeZone(locale, new Date(survey.closesAt), site.facts.timezone) })}`}
      </p>
      {pages > 1 ? <p class="small">{say('survey.page', { page: page + 1, pages })}</p> : null}
      {response === null ? null : <Notice>{say('survey.saved')}</Notice>}
    </div>
  )
}
