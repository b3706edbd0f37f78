/** What a fault says of a prompt that fits: that it is longer than `limit`, or than nine tenths of itself. */
export interface TooLong {
  readonly limit?: number;
}
