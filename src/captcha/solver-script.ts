// The scripts of the captcha page, served only by this server. They also work without https.
import { createHash } from 'node:crypto';

/** Sends the token to the page of ours that embeds or opened this one, and shows it for copying if it stands alone. */
const announce = `
var isEmbedded = window.parent !== window;
if (isEmbedded) document.documentElement.className = 'embedded';
function announce(token) {
  var field = document.getElementById('captcha-token');
  var status = document.getElementById('captcha-status');
  field.value = token;
  status.textContent = status.getAttribute(isEmbedded ? 'data-solved' : 'data-solved-alone');
  var reader = window.opener || (isEmbedded ? window.parent : null);
  if (reader) reader.postMessage({ captcha_token: token }, window.location.origin);
}
`;

/** FIPS 180-4 SHA-256 over bytes, then counters in order until the chained hash has the required start. */
const solver = `
(function () {
  var K = [], H0 = [];
  for (var candidate = 2; K.length < 64; candidate++) {
    var isPrime = true;
    for (var factor = 2; factor * factor <= candidate; factor++) if (candidate % factor === 0) { isPrime = false; break; }
    if (!isPrime) continue;
    var fraction = function (root) { return ((root - Math.floor(root)) * 4294967296) | 0; };
    if (H0.length < 8) H0.push(fraction(Math.pow(candidate, 1 / 2)));
    K.push(fraction(Math.pow(candidate, 1 / 3)));
  }
  var W = new Int32Array(64);
  function sha256(bytes) {
    var length = bytes.length, blocks = ((length + 8) >> 6) + 1, data = new Uint8Array(blocks * 64);
    data.set(bytes);
    data[length] = 128;
    var view = new DataView(data.buffer);
    view.setUint32(data.length - 4, length * 8);
    var h = H0.slice();
    for (var block = 0; block < blocks; block++) {
      var i, s0, s1;
      for (i = 0; i < 16; i++) W[i] = view.getInt32(block * 64 + i * 4);
      for (; i < 64; i++) {
        var x = W[i - 15], y = W[i - 2];
        s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
        s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
        W[i] = (W[i - 16] + s0 + W[i - 7] + s1) | 0;
      }
      var a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
      for (i = 0; i < 64; i++) {
        s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
        var t1 = (k + s1 + ((e & f) ^ (~e & g)) + K[i] + W[i]) | 0;
        s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
        var t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
        k = g; g = f; f = e; e = (d + t1) | 0; d = c; c = b; b = a; a = (t1 + t2) | 0;
      }
      h = [h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e, h[5] + f, h[6] + g, h[7] + k].map(function (n) { return n | 0; });
    }
    var out = new Uint8Array(32), written = new DataView(out.buffer);
    for (var word = 0; word < 8; word++) written.setInt32(word * 4, h[word]);
    return out;
  }
  function fromHex(hex) {
    var bytes = new Uint8Array(hex.length / 2);
    for (var i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.substr(i * 2, 2), 16);
    return bytes;
  }
  function toHex(bytes) {
    return Array.prototype.map.call(bytes, function (byte) { return (byte < 16 ? '0' : '') + byte.toString(16); }).join('');
  }
  var challenge = JSON.parse(document.getElementById('captcha').getAttribute('data-challenge'));
  var parameters = challenge.parameters, salt = fromHex(parameters.salt), nonce = fromHex(parameters.nonce);
  var input = new Uint8Array(salt.length + nonce.length + 4);
  input.set(salt);
  input.set(nonce, salt.length);
  var tail = new DataView(input.buffer, salt.length + nonce.length), counter = 0;
  function tryForAWhile() {
    for (var end = counter + 50; counter < end; counter++) {
      tail.setUint32(0, counter);
      var key = sha256(input);
      for (var round = 1; round < parameters.cost; round++) key = sha256(key);
      var derived = toHex(key.subarray(0, parameters.keyLength));
      if (derived.indexOf(parameters.keyPrefix) !== 0) continue;
      announce(btoa(JSON.stringify({ challenge: challenge, solution: { counter: counter, derivedKey: derived } })));
      return;
    }
    setTimeout(tryForAWhile, 0);
  }
  tryForAWhile();
})();
`;

/** The providers' widgets call a function with this name and pass the token. */
const widget = `
window.onCaptchaSolved = announce;
`;

function script(content: string) {
  const name = `${createHash('sha256').update(content).digest('hex').slice(0, 16)}.js`;
  return { name, path: `/api/v1/captcha/assets/${name}`, content };
}

/** Solves the challenge of the page. */
export const altchaScript = script(announce + solver);
/** Waits for a provider's widget. */
export const widgetScript = script(announce + widget);
