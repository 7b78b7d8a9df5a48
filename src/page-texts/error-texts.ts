// The texts of error pages.

interface ErrorText {
  title: string;
  text: string;
}

export interface ErrorTexts {
  statuses: Record<number, ErrorText>;
  /** For other server errors. */
  broken: ErrorText;
  /** For all other statuses. */
  refused: ErrorText;
  wait(seconds: number): string;
  requestId: string;
  home: string;
}
