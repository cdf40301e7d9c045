import { startSmtpSink } from '../../test/support/smtp-sink.ts'
import { serveRequests } from '../child.ts'

/** An SMTP server in its own process, so that receiving does not slow down the senders that are compared. */
const sink = await startSmtpSink()

serveRequests({
  url: () => Promise.resolve(sink.url),
  /** The number of emails received since the last call. */
  taken: () => Promise.resolve(sink.receivedEmails.splice(0).length),
})
