#!/bin/sh
# Uploads the .ipa of an Xcode Cloud workflow to Taxiway. Copy it to ci_scripts, and set TAXIWAY_URL, the secret TAXIWAY_TOKEN and optionally
# TAXIWAY_CHANNEL and TAXIWAY_NOTES_FILE (relative to the repository) in the environment of the workflow. Xcode Cloud runs it after each action; only archives have an .ipa.
set -eu
[ "${CI_XCODEBUILD_ACTION:-}" = archive ] && [ "${CI_XCODEBUILD_EXIT_CODE:-0}" -eq 0 ] || exit 0
folder=${CI_AD_HOC_SIGNED_APP_PATH:-${CI_DEVELOPMENT_SIGNED_APP_PATH:-}}
if [ -z "$folder" ]; then
  echo 'Nothing to upload: the archive is neither signed for ad-hoc distribution nor for development.'
  exit 0
fi
set -- "$folder"/*.ipa
[ $# -eq 1 ] && [ -f "$1" ] || { echo "$folder has to contain one .ipa" >&2; exit 1; }

if [ -n "${TAXIWAY_NOTES_FILE:-}" ]; then
  case $TAXIWAY_NOTES_FILE in
    /*) set -- "$1" --notes-file "$TAXIWAY_NOTES_FILE" ;;
    # The script runs in ci_scripts.
    *) set -- "$1" --notes-file "${CI_PRIMARY_REPOSITORY_PATH:-..}/$TAXIWAY_NOTES_FILE" ;;
  esac
else
  set -- "$1" --notes "Xcode Cloud build ${CI_BUILD_NUMBER:-} of ${CI_TAG:-${CI_BRANCH:-}}"
fi
[ -z "${TAXIWAY_CHANNEL:-}" ] || set -- "$@" --channel "$TAXIWAY_CHANNEL"
# Later scripts of the workflow find the results here; artifacts of the workflow can't be added.
results=${CI_WORKSPACE_PATH:-${TMPDIR:-/tmp}}
# A pipe would succeed without a server. Without -L --max-redirs 0, so would the empty response of a redirect.
curl -fsSL --max-redirs 0 --retry 3 --retry-connrefused -o "$results/taxiway-upload.sh" "${TAXIWAY_URL%/}/cli/upload.sh"
sh "$results/taxiway-upload.sh" "$@" --outputs "$results/taxiway.outputs" --qr-image "$results/taxiway-qr.png"
