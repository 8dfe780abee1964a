// SPDX-License-Identifier: MIT

import AudioModel
import CCurl
import Glibc

extension ByteSourceError.Reason {
  /// Creates the reason of a transfer's failure; nil for a complete body.
  ///
  /// - Parameters:
  ///   - url: the transfer's URL, after redirects.
  ///   - url: where it ended, after redirects.
  init?(
    _ outcome: CurlTransfer.Outcome, _ transfer: CurlTransfer, at url: WebURL,
    _ configuration: ByteSourceConfiguration
  ) {
    let response = transfer.response
    let (host, port) = (url.host, url.port)
    if let objection = transfer.objection {
      self = objection
      return
    }
    if response.isRefusal {
      self = .status(response.status)
      return
    }
    // A complete part is a success, whatever happened after its last byte.
    if response.status == 206, transfer.isWhole == true { return nil }
    switch outcome.code {
    case CURLE_OK:
      // libcurl accepts a connection that ends within the head as an answer without a body.
      if !response.isComplete || response.status == 0 {
        self = .badResponse(host: host, port: port)
      } else if !response.isSuccess {
        self = .status(response.status)
      } else if transfer.receivedBytes == 0 {
        self = .empty
      } else if transfer.isWhole == false {
        self = .interrupted(
          receivedBytes: transfer.receivedBytes, expectedBytes: transfer.expectedBytes)
      } else {
        return nil
      }
    case CURLE_URL_MALFORMAT where response.isRedirect:
      self = .badRedirect(String((response.location ?? "").withoutCredentials.prefix(200)))
    case CURLE_URL_MALFORMAT:
      self = .malformedLocation
    case CURLE_COULDNT_RESOLVE_HOST:
      self = .unknownHost(host)
    // libcurl's text would show the proxy's URL, and the password in it.
    case CURLE_COULDNT_RESOLVE_PROXY:
      self = .unusableProxy
    case CURLE_COULDNT_CONNECT where outcome.errno == ECONNREFUSED:
      self = .connectionRefused(host: host, port: port)
    case CURLE_COULDNT_CONNECT:
      self = .unreachable(host: host, port: port, errno: outcome.errno)
    case CURLE_OPERATION_TIMEDOUT:
      self = .timedOut(
        outcome.hasAddress ? .connection : .address, host: host, port: port,
        nanoseconds: configuration.connectTimeoutNanoseconds)
    case CURLE_TOO_MANY_REDIRECTS:
      self = .tooManyRedirects(limit: configuration.redirectLimit)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_GOT_NOTHING:
      self = .badResponse(host: host, port: port)
    case CURLE_RECV_ERROR where outcome.proxyStatus >= 300:
      self = .status(outcome.proxyStatus)
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      self = .interrupted(
        receivedBytes: transfer.receivedBytes, expectedBytes: transfer.expectedBytes)
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CLIENTCERT,
      CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
      self = .insecureConnection(host: host, port: port, explanation: outcome.text.onOneLine)
    default:
      self = .transfer(
        code: Int32(bitPattern: outcome.code.rawValue), explanation: outcome.text.onOneLine)
    }
  }
}
