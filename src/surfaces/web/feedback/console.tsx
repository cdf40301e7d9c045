import { Heading } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import { consolePages, formOf, frame } from '../console/frame.tsx'
import type { Refused } from '../fields.ts'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { FeedbackForm, ownPage, takeFeedback } from './form.tsx'

/** `/console/feedback`: what the organizer wants to tell whoever runs the service. */
export function consoleFeedbackPages(web: Web) {
  const page = (c: WebContext, values: FormValues, refused?: Refused) =>
    frame(
      web,
      c,
      { title: 'Feedback', current: '/console/feedback', ...(refused ? { status: refused.message ? 429 : 400 } : {}) },
      <>
        <Heading title="Feedback" text="What works, what does not, what is missing." />
        <Card>
          <FeedbackForm
            action="/console/feedback"
            csrf={csrfFor(web, c)}
            page={values['page'] ?? ''}
            values={values}
            {...(refused ? { refused } : {})}
          />
        </Card>
      </>,
    )
  return consolePages(web)
    .get('/console/feedback', (c) => {
      const referrer = c.req.header('referer')
      const from = referrer && URL.canParse(referrer) ? ownPage(new URL(referrer).pathname) : ''
      return page(c, { page: from, email: c.get('session').email })
    })
    .post('/console/feedback', async (c) => {
      const form = await formOf(web, c)
      const refused = await takeFeedback(web, c, form, { source: 'console', tenantCode: c.get('session').tenantCode })
      return refused ? page(c, form, refused) : c.redirect('/console/feedback?done=thanks', 303)
    })
}
