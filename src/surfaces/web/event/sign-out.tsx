import { Form } from '../components/forms.tsx'
import type { EventSite } from './event-site.ts'

interface SignOutProps {
  site: EventSite
  action: string
  csrf: string
  /** The email address of the signed-in person; null for a person without one, who opened a signed link. */
  email: string | null
}

/** Who is signed in, and the button to sign out. */
export const SignOutForm = ({ site: { words }, action, csrf, email }: SignOutProps) => (
  <Form action={action} csrf={csrf} class="signed-in small muted">
    {email === null ? null : <span>{words.say('signIn.signedInAs', { email })}</span>}
    <button type="submit" class="linklike">
      {words.say('myRegistration.signOut')}
    </button>
  </Form>
)
