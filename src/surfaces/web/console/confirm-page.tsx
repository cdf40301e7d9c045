import { Actions, Button, Form, LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { sendConsolePage, type ConsolePageOptions } from './frame.tsx'

interface ConfirmPageOptions extends Pick<ConsolePageOptions, 'current' | 'client'> {
  /** The question, such as "Revoke this token?". */
  title: string
  /** The consequences. */
  text: string
  /** The verb on the button. */
  button: string
  back: string
}

const CONFIRM_FIELD = 'sure'

/** Whether the user has confirmed: the confirmation page submits the original form again with one more field. */
export const isConfirmed = (form: FormValues): boolean => form[CONFIRM_FIELD] === 'yes'

/** A confirmation page before a destructive change. It works without scripts. */
export const sendConfirmPage = (web: Web, c: WebContext, form: FormValues, { title, text, button, back, ...place }: ConfirmPageOptions) =>
  sendConsolePage(
    web,
    c,
    { title, ...place },
    <>
      <Heading title={title} />
      <Card>
        <Form action={c.req.path} csrf={csrfFor(web, c)} class="stack">
          <p>{text}</p>
          {Object.entries(form)
            .filter(([name]) => name !== '_csrf')
            .map(([name, value]) => (
              <input type="hidden" name={name} value={value} />
            ))}
          <Actions>
            <Button tone="danger primary" name={CONFIRM_FIELD} value="yes">
              {button}
            </Button>
            <LinkButton href={back}>Cancel</LinkButton>
          </Actions>
        </Form>
      </Card>
    </>,
  )
