// The clocks and the chance that the component imports, by hand: a shim package would cost more than it gives.

/** The WASI interfaces that a component of ours may import. */
export const wasiImports: Record<string, Record<string, unknown>> = {
  'wasi:clocks/wall-clock': {
    now: () => {
      const milliseconds = Date.now();
      return { seconds: BigInt(Math.floor(milliseconds / 1000)), nanoseconds: (milliseconds % 1000) * 1_000_000 };
    },
    resolution: () => ({ seconds: 0n, nanoseconds: 1_000_000 }),
  },
  'wasi:clocks/monotonic-clock': {
    now: () => BigInt(Math.round(performance.now() * 1_000_000)),
    resolution: () => 1_000n,
  },
  'wasi:random/random': { getRandomU64: randomU64, getRandomBytes: randomBytes },
  'wasi:random/insecure': { getInsecureRandomU64: randomU64, getInsecureRandomBytes: randomBytes },
  'wasi:random/insecure-seed': { insecureSeed: () => [randomU64(), randomU64()] },
};

function randomU64(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;
}

/** `crypto.getRandomValues` fills at most this many bytes at once. */
const RANDOM_CHUNK = 65_536;

function randomBytes(length: bigint): Uint8Array {
  const bytes = new Uint8Array(Number(length));
  for (let start = 0; start < bytes.length; start += RANDOM_CHUNK) {
    crypto.getRandomValues(bytes.subarray(start, start + RANDOM_CHUNK));
  }
  return bytes;
}
