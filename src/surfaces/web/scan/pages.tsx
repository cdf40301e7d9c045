import { Hono } from 'hono'
import { clientAddress } from '../../http/client-address.ts'
import { askScan, type LeadAnswer } from '../../leads/ask-scan.ts'
import { ASSETS } from '../assets.ts'
import { Button, ErrorSummary, type Errors, errorOf, Form, Input } from '../components/forms.tsx'
import { document, FocusPage } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import { csrfFor, type FormValues, readForm, show, type Web, type WebContext, type WebEnv } from '../web.ts'
import { BlankLeadCard, LeadCard } from './lead-card.tsx'

const PATH = '/scan'

const CODES = [
  ['tenantCode', 'Tenant code'],
  ['clientCode', 'Client code'],
  ['eventCode', 'Event code'],
  ['activationCode', 'Activation code'],
] as const

/** The event that always exists: the page shows a lead before anybody has a code. */
const PREFILLED: FormValues = { tenantCode: 'demo', clientCode: 'demo', eventCode: 'demo', activationCode: '0' }

interface Shown {
  values: FormValues
  errors?: Errors
  answer?: LeadAnswer | undefined
}

const Codes = ({ values, errors }: { values: FormValues; errors: Errors | undefined }) => (
  <details class="scan-codes" open={values['activationCode'] === '0' || errors !== undefined}>
    <summary>Whose scanner this is</summary>
    <div class="fields-2">
      {CODES.map(([name, label]) => (
        <Input name={name} label={label} value={values[name]} required autocomplete="off" error={errorOf(errors, name)} />
      ))}
    </div>
    <p class="small muted">
      The activation code 0 is a test event: any badge gives a test lead, and nothing is kept. Exhibitors get their real codes from the
      organizer.
    </p>
  </details>
)

/** Shown where the browser has scripts and may use a camera; the field below does without either. */
const Camera = () => (
  <div class="scan-camera" data-camera hidden>
    <video muted playsinline hidden aria-label="What the camera sees" />
    <button type="button" class="button wide" data-start>
      Scan with the camera
    </button>
  </div>
)

const ScannerPage = ({ csrf, values, errors, answer }: Shown & { csrf: string }) => (
  <FocusPage
    foot={
      <p>
        Build your own scanner: <a href="/docs/leads">Lead retrieval</a>
      </p>
    }
  >
    <div class="stack" data-scanner>
      <h1>Lead scanner</h1>
      <p class="muted">Scan a badge, and see what its wearer shares with exhibitors.</p>
      <ErrorSummary errors={errors} message={answer?.problem?.detail} />
      <p class="notice scan-said" role="status" data-said />
      <p class="small muted" data-waiting hidden />
      <div data-lead>{answer && 'lead' in answer && answer.lead ? <LeadCard lead={answer.lead} /> : null}</div>
      <Card>
        <Form action={PATH} csrf={csrf} class="stack">
          <Camera />
          <Input
            name="badgeId"
            label="Badge"
            help="Type or paste what the code says, or use a scanner that types, and press Enter; 0 gives a sample lead."
            value={answer?.problem ? values['badgeId'] : ''}
            autocomplete="off"
            error={errorOf(errors, 'badgeId')}
          />
          <Button tone="primary" wide>
            Look up
          </Button>
          <Codes values={values} errors={errors} />
        </Form>
      </Card>
      <BlankLeadCard />
      <script type="module" src={ASSETS.scanner} />
    </div>
  </FocusPage>
)

/** `/scan`: a scanner for exhibitors to try, and an example of one for whoever builds their own. */
export function scanPages(web: Web) {
  const page = (c: WebContext, shown: Shown) =>
    show(c, document('Lead scanner', <ScannerPage {...shown} csrf={csrfFor(web, c)} />), statusOf(shown), {
      referrer: 'no-referrer',
      webAssembly: true,
    })

  return new Hono<WebEnv>()
    .get(PATH, (c) => page(c, { values: PREFILLED }))
    .post(PATH, async (c) => {
      const form = await readForm(web, c)
      if (!form) return c.redirect(PATH, 303)
      const [tenantCode = '', clientCode = '', eventCode = '', activationCode = '', badgeId = ''] = [
        ...CODES.map(([name]) => form[name]?.trim()),
        form['badgeId'],
      ]
      const asked = { tenantCode, clientCode, eventCode, activationCode, badgeId }
      const errors = [...CODES, ['badgeId', 'Badge'] as const].flatMap(([path, label]) =>
        asked[path] === '' ? [{ path, message: `${label}: must not be empty` }] : [],
      )
      // Shown at once and not after a redirect: what somebody shares belongs in no address and is too long for a cookie.
      if (errors.length > 0) return page(c, { values: form, errors })
      return page(c, { values: form, answer: await askScan(web.road, asked, clientAddress(c.env.incoming, web.trustedProxies)) })
    })
}

function statusOf({ errors, answer }: Shown) {
  const status = answer?.problem?.status ?? (errors ? 400 : 200)
  return status === 401 || status === 403 || status === 404 || status === 429 || status === 400 ? status : 200
}
