import { Actions, Button, Form, LinkButton } from '../components/forms.tsx'
import { Heading } from '../components/layout.tsx'
import { Card } from '../components/parts.tsx'
import { csrfFor, type FormValues, type Web, type WebContext } from '../web.ts'
import { frame, type FrameOptions } from './frame.tsx'

interface Question extends Pick<FrameOptions, 'current' | 'client'> {
  /** What is asked, as a question. */
  title: string
  /** What happens then, and to whom. */
  text: string
  /** The verb on the button. */
  button: string
  back: string
}

const SURE = 'sure'

/** Whether the person was asked already: the form says so itself, with everything it said before. */
export const isSure = (form: FormValues): boolean => form[SURE] === 'yes'

/** The page between a button that takes something away and what it does: no script is needed to change one's mind. */
export const askFirst = (web: Web, c: WebContext, form: FormValues, { title, text, button, back, ...place }: Question) =>
  frame(
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
            <Button tone="danger primary" name={SURE} value="yes">
              {button}
            </Button>
            <LinkButton href={back}>Keep it as it is</LinkButton>
          </Actions>
        </Form>
      </Card>
    </>,
  )
