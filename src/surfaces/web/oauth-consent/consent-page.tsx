import type { BrowserSession } from '../../../domains/sign-in/sessions.ts'
import type { DisplayedRedirectTarget } from '../../../domains/oauth/redirect-uris.ts'
import { AVAILABLE_TOOLSET_AREAS_TEXT } from '../../organizer-mcp/presets.ts'
import { FormActions, Button, Form } from '../components/forms.tsx'
import { CenteredCardLayout } from '../components/layout.tsx'
import { StatusLabel, Card, Notice } from '../components/parts.tsx'

export interface ConsentRequest {
  csrf: string
  requestId: string
  action: string
  appName: string
  place: DisplayedRedirectTarget
  /** Host of the app's metadata document, if it differs from the redirect host. */
  describedAt: string | null
  session: BrowserSession
}

const initialOf = (name: string) => (name.match(/[\p{L}\p{N}]/u)?.[0] ?? '?').toUpperCase()

const AppHead = ({ appName, place, describedAt }: Pick<ConsentRequest, 'appName' | 'place' | 'describedAt'>) => (
  <div class="consent-app">
    <div class="avatar" aria-hidden="true">
      {initialOf(appName)}
    </div>
    <div>
      <strong>{appName}</strong>
      <span class="muted">
        returns to <b class="consent-place">{place.shown}</b>
      </span>
      {describedAt ? (
        <span class="muted">
          described at <b class="consent-place">{describedAt}</b>
        </span>
      ) : null}
    </div>
  </div>
)

const Caution = ({ place }: { place: DisplayedRedirectTarget }) => {
  if (place.kind === 'website') return null
  return (
    <Notice tone="warning">
      {place.kind === 'computer'
        ? 'This app runs on your computer, where any program could use this name. Continue only if you have just started it yourself.'
        : `This app opens with a ${place.shown.split(':')[0]}: link, which any app on your device could intercept. Continue only if you have just started it yourself.`}
    </Notice>
  )
}

const AccountRow = ({ csrf, requestId, action, session }: ConsentRequest) => (
  <div class="consent-who">
    <div>
      <div class="consent-name">{session.actor.name}</div>
      <div class="muted">{session.email}</div>
    </div>
    <Form action={action} csrf={csrf}>
      <input type="hidden" name="request" value={requestId} />
      <Button tone="quiet" small name="decision" value="switch">
        Switch account
      </Button>
    </Form>
  </div>
)

const Clients = ({ session }: { session: BrowserSession }) => (
  <ul class="consent-clients">
    {session.access.clients.map((client) => (
      <li>
        <span>{client.name}</span>
        {!client.active ? (
          <StatusLabel>inactive</StatusLabel>
        ) : client.aiAssistantsAllowed ? null : (
          <StatusLabel tone="warning">assistants off</StatusLabel>
        )}
      </li>
    ))}
  </ul>
)

export const ConsentPage = (consent: ConsentRequest) => {
  const { csrf, requestId, action, appName, place, session } = consent
  return (
    <CenteredCardLayout foot="Lanyard asks every time an app connects. You can disconnect apps at any time under Connected apps in the console.">
      <Card>
        <div class="stack">
          <h1>Connect this app to Lanyard?</h1>
          <AppHead {...consent} />
          <Caution place={place} />
          <AccountRow {...consent} />
          <section>
            <h2 class="consent-title">It will be able to</h2>
            <ul class="consent-may">
              <li>See and change what your own roles allow: {AVAILABLE_TOOLSET_AREAS_TEXT}</li>
              <li>Act in your name. Every change is recorded with your name and the app’s</li>
              <li>Stay connected until you disconnect it or do not use it for 30 days</li>
            </ul>
          </section>
          <section>
            <h2 class="consent-title">For these clients</h2>
            <Clients session={session} />
          </section>
          <Form action={action} csrf={csrf}>
            <input type="hidden" name="request" value={requestId} />
            <div class="consent-answers">
              <Button wide name="decision" value="deny">
                Deny
              </Button>
              <Button tone="primary" wide name="decision" value="authorize">
                Authorize
              </Button>
            </div>
          </Form>
          <p class="consent-foot muted">{appName} never sees your password. Authorize only requests that you started yourself.</p>
        </div>
      </Card>
    </CenteredCardLayout>
  )
}

export const NoAccessPage = (consent: ConsentRequest) => (
  <CenteredCardLayout>
    <Card>
      <div class="stack">
        <h1>No organizer access — this login belongs to no client</h1>
        <p>
          {consent.appName} cannot be connected with this account. Ask a client administrator to add you, or sign in with another account.
        </p>
        <AccountRow {...consent} />
        <Form action={consent.action} csrf={consent.csrf}>
          <input type="hidden" name="request" value={consent.requestId} />
          <FormActions>
            <Button wide name="decision" value="deny">
              Back to the app
            </Button>
          </FormActions>
        </Form>
      </div>
    </Card>
  </CenteredCardLayout>
)

const RetryPage = ({ title, text }: { title: string; text: string }) => (
  <CenteredCardLayout foot={<a href="/console">Go to the console</a>}>
    <Card>
      <div class="stack">
        <h1>{title}</h1>
        <p>{text} Go back to the app and connect it again.</p>
      </div>
    </Card>
  </CenteredCardLayout>
)

export const ExpiredConsentPage = () => (
  <RetryPage
    title="This request is no longer valid"
    text="It was already answered, is older than ten minutes, or was opened by another account first."
  />
)

export const InvalidConsentFormPage = () => (
  <RetryPage title="Nothing was authorized" text="The form has expired or did not come from this site." />
)
