import { formatSurveyAnswer } from '../../../domains/surveys/answers.ts'
import { formatInstantWithTimeZone } from '../../../kernel/language/format.ts'
import { Card } from '../components/parts.tsx'
import { LinkButton } from '../components/forms.tsx'
import { NarrowPage } from '../event/event-layout.tsx'
import type { EventSite } from '../event/event-site.ts'
import type { WebContext, WebServices } from '../web.ts'
import { showSurveyPage, type SurveyPageContext } from './survey-site.tsx'

const EventLink = ({ site }: { site: EventSite }) => (
  <div>
    <LinkButton href={site.paths.home}>{site.words.say('survey.toEvent')}</LinkButton>
  </div>
)

export function showClosedPage(web: WebServices, c: WebContext, site: EventSite) {
  const { say } = site.words
  return showSurveyPage(
    web,
    c,
    site,
    { title: say('survey.closed'), status: 410 },
    <NarrowPage title={say('survey.closed')} text={say('survey.closedText')}>
      <EventLink site={site} />
    </NarrowPage>,
  )
}

export function showNotYetOpenPage(web: WebServices, c: WebContext, { site, survey }: SurveyPageContext) {
  const { say, locale } = site.words
  const moment = formatInstantWithTimeZone(locale, new Date(survey.opensAt!), site.facts.timezone)
  return showSurveyPage(
    web,
    c,
    site,
    { title: say('survey.notYet') },
    <NarrowPage title={say('survey.notYet')} text={say('survey.notYetText', { moment })}>
      <EventLink site={site} />
    </NarrowPage>,
  )
}

export function showDeclinedPage(web: WebServices, c: WebContext, { site, home }: SurveyPageContext) {
  const { say } = site.words
  return showSurveyPage(
    web,
    c,
    site,
    { title: say('survey.declined') },
    <NarrowPage title={say('survey.declined')} text={say('survey.declinedText')}>
      <div>
        <LinkButton href={`${home}?again=1`} tone="primary">
          {say('survey.again')}
        </LinkButton>
      </div>
    </NarrowPage>,
  )
}

/** Shows the page after the answers were sent, and on every later visit. Anonymous answers are not shown. */
export function showAnsweredPage(web: WebServices, c: WebContext, at: SurveyPageContext, { isNew }: { isNew: boolean }) {
  const { site, survey } = at
  const { say } = site.words
  const title = isNew ? say('survey.thanks') : say('survey.answered')
  const text = isNew
    ? say('survey.thanksText', { client: site.client.name })
    : survey.anonymous
      ? say('survey.answeredAnonymous')
      : say('survey.answeredText')
  return showSurveyPage(
    web,
    c,
    site,
    { title },
    <div class="checkout narrow">
      <Card>
        <div class="stack">
          <h1>{title}</h1>
          <p class="muted">{text}</p>
          <EventLink site={site} />
        </div>
      </Card>
      {survey.anonymous ? null : <OwnAnswers at={at} />}
    </div>,
  )
}

const OwnAnswers = ({ at: { site, survey, response } }: { at: SurveyPageContext }) => (
  <Card title={site.words.say('survey.yours')}>
    <dl class="stack">
      {survey.questions.map((question) => {
        const value = response?.answers.get(question.code)
        return (
          <div>
            <dt class="small muted" lang={site.langOf(question.name)}>
              {question.name}
            </dt>
            <dd class="pre">{value === undefined ? site.words.say('survey.noAnswer') : formatSurveyAnswer(question, value)}</dd>
          </div>
        )
      })}
    </dl>
  </Card>
)
