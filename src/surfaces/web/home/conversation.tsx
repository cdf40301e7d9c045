/** A message of the example conversation, or a tool call of the assistant. */
type Turn = { by: 'organizer' | 'assistant'; text: string } | { by: 'tool'; name: string }

/** The example conversation. It makes the changes that the screenshot beside it shows in the draft of the demo event. */
const TURNS: readonly Turn[] = [
  { by: 'organizer', text: 'From the second price step on, the conference pass costs 790. And please refresh the summary of the summit.' },
  { by: 'tool', name: 'config_set' },
  {
    by: 'assistant',
    text: 'Both changes are in the draft of Acme Summit 2027. Nothing is public yet, and orders that exist keep their price. Review the draft and publish it when you are ready.',
  },
  { by: 'organizer', text: 'Who has not paid yet?' },
  { by: 'tool', name: 'find_participants' },
  { by: 'assistant', text: 'Three participants have an open invoice, and one is overdue. Shall I send them a reminder?' },
]

const SPEAKERS = { organizer: 'You', assistant: 'Your assistant' }

const Tick = () => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d="M3 8.5l3.2 3L13 4.5" />
  </svg>
)

/** An example conversation between an organizer and an assistant. */
export const ExampleConversation = () => (
  <section class="home-chat" aria-labelledby="chat">
    <h2 id="chat">Your assistant</h2>
    <ol>
      {TURNS.map((turn) =>
        turn.by === 'tool' ? (
          <li class="chat-tool">
            <Tick />
            <span class="hidden">Tool: </span>
            <code>{turn.name}</code>
          </li>
        ) : (
          <li class={`chat-text ${turn.by}`}>
            <span class="hidden">{SPEAKERS[turn.by]}: </span>
            {turn.text}
          </li>
        ),
      )}
    </ol>
  </section>
)
