import { leadErrorOf } from './errors.js';
/** Called as a method of anything else, the browser's own refuses to run. */
export const ownFetch = (input, init) => fetch(input, init);
/** Asks the service, and reads what it answers. */
export async function ask(by, address, init = {}) {
    let answer;
    try {
        answer = await by(address, { cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer', ...init });
    }
    catch {
        // What it says may hold the address, and with it the activation code.
        throw leadErrorOf({ code: 'no_connection', message: 'No connection to the service', status: 0 });
    }
    const body = await answer.json().catch(() => null);
    return { ok: answer.ok, body, refusal: refusalOf(answer, body) };
}
export const isObject = (value) => typeof value === 'object' && value !== null;
function refusalOf(answer, body) {
    const error = isObject(body) && isObject(body['error']) ? body['error'] : {};
    const { code, message } = error;
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return leadErrorOf({
        code: typeof code === 'string' ? code : 'unexpected_answer',
        message: typeof message === 'string' ? message : `The service answered with status ${answer.status}`,
        // Whoever answers 200 without a lead is not the service: a page to sign in to the network, most often. It may be there later.
        status: answer.ok ? 0 : answer.status,
        retryAfter: Number.isFinite(seconds) ? seconds : undefined,
    });
}
