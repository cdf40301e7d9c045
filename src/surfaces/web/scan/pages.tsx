import { Hono } from 'hono'
import { getClientIpBlock } from '../../http/client-address.ts'
import { processLeadScan, type LeadScanResult } from '../../leads/answer-scan.ts'
import { ASSET_PATHS } from '../assets.ts'
import { Button, ErrorSummary, type FieldErrors, findFieldError, Form, Input } from '../components/forms.tsx'
import { renderHtmlDocument, CenteredCardLayout } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import { getCsrfToken, type FormValues, readSameOriginForm, sendPage, type WebServices, type WebContext, type WebEnv } from '../web.ts'
import { LeadCardTemplate, LeadCard } from './lead-card.tsx'

const PATH = '/scan'

const CODE_FIELDS = [
  ['tenantCode', 'Tenant code'],
  ['clientCode', 'Client code'],
  ['eventCode', 'Event code'],
  ['activationCode', 'Activation code'],
] as const

/** The codes of the built-in test event. With them, the page can show an example lead without a real badge. */
const TEST_EVENT_VALUES: FormValues = { tenantCode: 'demo', clientCode: 'demo', eventCode: 'demo', activationCode: '0' }

/**
 * Reads the event's codes in the URL, which the exhibitor portal links to. The exhibitor types the activation code, because it is
 * secret.
 */
function readLinkedEvent(c: WebContext): FormValues | null {
  const [tenantCode, clientCode, eventCode] = ['tenantCode', 'clientCode', 'eventCode'].map((name) => c.req.query(name)?.slice(0, 80))
  return tenantCode && clientCode && eventCode ? { tenantCode, clientCode, eventCode, activationCode: '' } : null
}

interface ScanState {
  values: FormValues
  errors?: FieldErrors
  answer?: LeadScanResult | undefined
}

const Codes = ({ values, errors }: { values: FormValues; errors: FieldErrors | undefined }) => (
  <details class="scan-codes fold" open={values['activationCode'] === '' || errors !== undefined}>
    <summary>Scanner settings{values['activationCode'] === '0' ? ': test event' : ''}</summary>
    <div class="fields-2">
      {CODE_FIELDS.map(([name, label]) => (
        <Input name={name} label={label} value={values[name]} required autocomplete="off" error={findFieldError(errors, name)} />
      ))}
    </div>
    <p class="help">
      Activation code 0 uses the test event: any badge gives a test lead, and nothing is saved. Exhibitors get their codes from the
      organizer.
    </p>
  </details>
)

/** The camera view, shown only if the browser runs scripts and has a camera. The field below it works without either. */
const Camera = () => (
  <div class="scan-camera" data-camera hidden>
    <video muted playsinline hidden aria-label="Camera view" />
    <button type="button" class="button primary wide" data-start>
      Scan with the camera
    </button>
  </div>
)

const ScannerPage = ({ csrf, values, errors, answer }: ScanState & { csrf: string }) => (
  <CenteredCardLayout
    foot={
      <p>
        Build your own scanner: <a href="/docs/leads">Lead retrieval</a>
      </p>
    }
  >
    <div class="stack" data-scanner>
      <h1>Lead scanner</h1>
      <p class="muted">Scan a badge to see the details that its owner shares with exhibitors.</p>
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
            help="Type or paste the badge code, or use a handheld scanner, and press Enter. Use 0 for a sample lead."
            value={answer?.problem ? values['badgeId'] : ''}
            autocomplete="off"
            error={findFieldError(errors, 'badgeId')}
          />
          <Button tone="primary" wide>
            Show lead
          </Button>
          <Codes values={values} errors={errors} />
        </Form>
      </Card>
      <LeadCardTemplate />
      <script type="module" src={ASSET_PATHS.scanner} />
    </div>
  </CenteredCardLayout>
)

/** `/scan`: a demo scanner for exhibitors, and an example for developers of their own scanner. */
export function leadScannerPages(web: WebServices) {
  const page = (c: WebContext, shown: ScanState) =>
    sendPage(c, renderHtmlDocument('Lead scanner', <ScannerPage {...shown} csrf={getCsrfToken(web, c)} />), statusOf(shown), {
      referrer: 'no-referrer',
      webAssembly: true,
    })

  return new Hono<WebEnv>()
    .get(PATH, (c) => page(c, { values: readLinkedEvent(c) ?? TEST_EVENT_VALUES }))
    .post(PATH, async (c) => {
      const form = await readSameOriginForm(web, c)
      if (!form) return c.redirect(PATH, 303)
      const [tenantCode = '', clientCode = '', eventCode = '', activationCode = '', badgeId = ''] = [
        ...CODE_FIELDS.map(([name]) => form[name]?.trim()),
        form['badgeId'],
      ]
      const scan = { tenantCode, clientCode, eventCode, activationCode, badgeId }
      const errors = [...CODE_FIELDS, ['badgeId', 'Badge'] as const].flatMap(([path, label]) =>
        scan[path] === '' ? [{ path, message: `Enter the ${label.toLowerCase()}` }] : [],
      )
      // The result is rendered directly instead of after a redirect, because personal data does not belong in a URL.
      if (errors.length > 0) return page(c, { values: form, errors })
      return page(c, {
        values: form,
        answer: await processLeadScan(web.services, scan, getClientIpBlock(c.env.incoming, web.trustedProxies)),
      })
    })
}

function statusOf({ errors, answer }: ScanState) {
  const status = answer?.problem?.status ?? (errors ? 400 : 200)
  return status === 401 || status === 403 || status === 404 || status === 429 || status === 400 ? status : 200
}
